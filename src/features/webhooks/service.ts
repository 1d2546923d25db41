import { once } from '../../kernel/concurrency.ts'
import { badRequest, conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachFew } from '../../records/paginate.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { WebhookRecord } from './records.ts'
import { capsOf } from '../ledger/plans.ts'
import type { EventType } from '../common/events.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { byId } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { DeliveryLog, DeliveryLogOptions } from './delivery-log.ts'
import { isMail } from './mail/address.ts'
import { UNCONFIRMED, UNSUBSCRIBED } from './mail/parts.ts'
import type { MailParts } from './mail/parts.ts'
import { wakeUp } from './delivery.ts'
import { addToWebhookList, removeFromWebhookList, webhookOf, refuseWebhookUrl } from './webhook.ts'
import type { WebhookSecrets } from './secrets.ts'
import type { Webhook } from './webhook.ts'
import type { Core } from '../core.ts'

/** A webhook with its new secret, which is returned only once. */
export interface WebhookWithSecret extends Webhook {
  /** `whsec_` and base64. */
  readonly secret: string
}

/** A new webhook. */
export interface WebhookInput {
  readonly url: string
  readonly events: readonly (EventType | '*')[]
  readonly description?: string
  readonly taskIds?: readonly string[]
  readonly labels?: readonly string[]
  /** Default `true`. */
  readonly enabled?: boolean
}

/** A change of a webhook. Absent members stay unchanged. */
export type WebhookPatch = Partial<WebhookInput>

/**
 * Receivers of an account's events. A webhook of another account is not found. Writes accept
 * {@link Preconditions}.
 */
export interface Webhooks extends DeliveryLog {
  /**
   * A webhook with a mail address is disabled until its code is confirmed. After that it is
   * disabled only if the input says so.
   *
   * @throws {PlatformError} 400 for a URL that may not be sent to, and for a task of another
   *   account; 409 if the account has its maximum of webhooks, or of addresses that wait
   */
  create(
    principal: Principal,
    input: WebhookInput,
    preconditions?: Preconditions,
  ): Promise<WebhookWithSecret>
  /** Newest first. */
  list(principal: Principal, query?: CreatedQuery): Promise<ListPage<Webhook>>
  get(principal: Principal, id: string): Promise<Webhook>
  update(
    principal: Principal,
    id: string,
    patch: WebhookPatch,
    preconditions?: Preconditions,
  ): Promise<Webhook>
  delete(
    principal: Principal,
    id: string,
    preconditions?: Preconditions,
  ): Promise<{ readonly id: string; readonly deleted: true }>
  /**
   * Confirms the mail address of a webhook by the code that was mailed to it, and enables it,
   * unless the account has switched it off.
   *
   * @throws {PlatformError} 400 for a wrong code; 409 for one that is too old or was tried too
   *   often
   */
  confirm(
    principal: Principal,
    id: string,
    input: { readonly code: string },
    preconditions?: Preconditions,
  ): Promise<Webhook>
  /**
   * Ends the messages of an account to a mail address. Everybody who has the link of such a message
   * can do this. Webhooks with this address are disabled, and the account cannot ask it again.
   *
   * @throws {PlatformError} 403 for a token that is not from a message
   */
  unsubscribe(token: string): Promise<{ readonly unsubscribed: true }>
  /** Creates a new secret. The current one also signs for `overlapSeconds`, by default a day. */
  rotate(
    principal: Principal,
    id: string,
    input?: { readonly overlapSeconds?: number },
    preconditions?: Preconditions,
  ): Promise<WebhookWithSecret>
}

const OVERLAP_SECONDS = 86_400
/**
 * Limit on valid secrets. Each old secret that is still valid makes the header of every delivery
 * longer.
 */
const MAX_SECRETS = 5

const NO_MAILER =
  'is a mail address, and this service sends no mail: its operator can set the option `mail` of ' +
  'createPlatform, or --mail of seine serve'
const OTHER_ADDRESS =
  'is or was a mail address, which must be confirmed: delete this webhook, and add another'

/** The service of webhooks. */
export function createWebhooks(
  core: Core,
  secrets: WebhookSecrets,
  mail: MailParts,
  wake: DeliveryLogOptions['wake'],
): Webhooks {
  const { records, ids, clock } = core

  const find = async (account: string, id: string): Promise<Stored<WebhookRecord>> => {
    const stored = await records.webhooks.get(account, id)
    if (!stored) throw notFound('Webhook')
    return stored
  }
  const check = async (account: string, { url, taskIds = [] }: WebhookPatch): Promise<void> => {
    const refusal = url === undefined ? null : refuseWebhookUrl(url, core.allowPrivateNetwork)
    if (refusal !== null) throw badRequest([{ path: 'url', message: refusal }])
    if (url !== undefined && isMail(url) && mail.mailer === null)
      throw badRequest([{ path: 'url', message: NO_MAILER }])
    const ownTasks = new Set<string>()
    for await (const task of eachFew(
      records.tasks,
      account,
      taskIds.map((id) => [id]),
    ))
      ownTasks.add(String(task.id[0]))
    const unknown = taskIds.flatMap((id, index) =>
      ownTasks.has(id)
        ? []
        : [{ path: `taskIds.${index}`, message: 'is not a task of this account' }],
    )
    if (unknown.length > 0) throw badRequest(unknown)
  }
  /** Changes the current version of a webhook. `show` makes the answer. */
  const update = <T extends object>(
    account: string,
    id: string,
    preconditions: Preconditions | undefined,
    next: (old: WebhookRecord, change: Change) => WebhookRecord | Promise<WebhookRecord>,
    show: (webhook: WebhookRecord) => T,
  ): Promise<T> =>
    retryOrBusy('The webhook', async () => {
      const old = await find(account, id)
      preconditions?.expect(webhookOf(old.value))
      const change = new Change()
      const webhook = await next(old.value, change)
      records.webhooks.update(change, account, old, webhook)
      const data = show(webhook)
      return (await commitWithPreconditions(records, change, preconditions, data)) && data
    })

  const consent = once(() => import('./mail/consent.ts'))

  const log = once(async () =>
    (await import('./delivery-log.ts')).createDeliveryLog(core, { wake, find }),
  )

  return {
    async create({ account }, input, preconditions) {
      await check(account, input)
      const [id, now, secret] = [ids('hook'), clock.now(), secrets.make()]
      const webhook: WebhookRecord = {
        id,
        url: input.url,
        description: input.description ?? '',
        events: [...new Set(input.events)],
        taskIds: [...new Set(input.taskIds)],
        labels: [...new Set(input.labels)],
        secrets: [await secrets.seal(account, id, secret, null)],
        disabledAt: input.enabled === false ? now : null,
        disabledReason: input.enabled === false ? 'requested' : null,
        createdAt: now,
        updatedAt: now,
      }
      const most = capsOf(await core.planOf(account)).webhooks
      const made = await retryOrBusy('The account', async () => {
        const change = new Change()
        await addToWebhookList(records, change, account, id, most)
        const first = isMail(webhook.url)
          ? await (await consent()).askConsent(core, mail.secret, change, account, webhook)
          : webhook
        records.webhooks.insert(change, account, first)
        const data = { ...webhookOf(first), secret }
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      })
      if (isMail(made.url)) await wakeUp(core, wake)
      return made
    },

    list: ({ account }, query = {}) =>
      listRecords(core, {
        account,
        operation: 'webhooks.list',
        query,
        source: {
          collection: records.webhooks,
          keys: byId('hook'),
          timeOf: ({ createdAt }) => createdAt,
        },
        show: (items) => items.map(webhookOf),
      }),

    get: async ({ account }, id) => webhookOf((await find(account, id)).value),

    async update({ account }, id, { enabled, ...patch }, preconditions) {
      await check(account, patch)
      return update(
        account,
        id,
        preconditions,
        (old, change) => {
          const now = clock.now()
          const { url = old.url } = patch
          if (url !== old.url && (isMail(url) || isMail(old.url)))
            throw badRequest([{ path: 'url', message: OTHER_ADDRESS }])
          if (enabled && old.disabledReason === 'unsubscribed') throw conflict(UNSUBSCRIBED)
          const isUnconfirmed = old.mail?.confirmedAt === null
          if (enabled && isUnconfirmed) throw conflict(UNCONFIRMED)
          const webhook: WebhookRecord = {
            ...old,
            ...patch,
            events: [...new Set(patch.events ?? old.events)],
            taskIds: [...new Set(patch.taskIds ?? old.taskIds)],
            labels: [...new Set(patch.labels ?? old.labels)],
            updatedAt: now,
            ...(enabled === false &&
              old.mail &&
              isUnconfirmed && { mail: { ...old.mail, staysDisabled: true } }),
          }
          if (enabled === undefined || enabled === (old.disabledAt === null)) return webhook
          // Enabling a webhook again resets its failures.
          if (enabled) records.webhookFailures.drop(change, account, id)
          return {
            ...webhook,
            disabledAt: enabled ? null : now,
            disabledReason: enabled ? null : 'requested',
          }
        },
        webhookOf,
      )
    },

    delete: ({ account }, id, preconditions) =>
      retryOrBusy('The webhook', async () => {
        const old = await find(account, id)
        preconditions?.expect(webhookOf(old.value))
        const change = new Change()
        await removeFromWebhookList(records, change, account, id)
        records.webhooks.remove(change, account, old)
        records.webhookFailures.drop(change, account, id)
        const data = { id, deleted: true } as const
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      }),

    confirm: ({ account }, id, { code }, preconditions) =>
      retryOrBusy('The webhook', async () => {
        const old = await find(account, id)
        preconditions?.expect(webhookOf(old.value))
        const webhook = await (await consent()).confirmed(core, mail.secret, account, old, code)
        if (webhook === null) return null
        const change = new Change()
        records.webhooks.update(change, account, old, webhook)
        const data = webhookOf(webhook)
        return (await commitWithPreconditions(records, change, preconditions, data)) && data
      }),

    async unsubscribe(token) {
      const { unsubscribe } = await import('./mail/unsubscribe.ts')
      await unsubscribe(core, mail.secret, token)
      return { unsubscribed: true }
    },

    async rotate({ account }, id, { overlapSeconds = OVERLAP_SECONDS } = {}, preconditions) {
      const secret = secrets.make()
      return update(
        account,
        id,
        preconditions,
        async (old) => {
          const now = clock.now()
          const end = now + overlapSeconds * 1_000
          const earlier = old.secrets
            .map(({ sealed, until }) => ({ sealed, until: Math.min(until ?? end, end) }))
            .filter(({ until }) => until > now)
          return {
            ...old,
            secrets: [await secrets.seal(account, id, secret, null), ...earlier].slice(
              0,
              MAX_SECRETS,
            ),
            updatedAt: now,
          }
        },
        (webhook) => ({ ...webhookOf(webhook), secret }),
      )
    },

    test: async (...args) => (await log()).test(...args),
    deliveries: async (...args) => (await log()).deliveries(...args),
    redeliver: async (...args) => (await log()).redeliver(...args),
  }
}
