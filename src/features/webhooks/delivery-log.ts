import { conflict, notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Preconditions } from '../../kernel/preconditions.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { DeliveryStatus, WebhookDeliveryRecord, WebhookRecord } from './records.ts'
import { commitWithPreconditions } from '../common/commit-with-preconditions.ts'
import type { ListPage } from '../common/list-page.ts'
import { listRecords } from '../common/list-records.ts'
import { BY_TIME } from '../common/timed-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import {
  deliveryOf,
  enqueueDelivery,
  newDelivery,
  parseDeliveryId,
  deliveryKey,
  putDelivery,
  wakeUp,
} from './delivery.ts'
import type { WebhookDelivery } from './delivery.ts'
import { ASKING, UNCONFIRMED, UNSUBSCRIBED } from './mail/parts.ts'
import type { Core } from '../core.ts'

/** Filters of the list of deliveries. */
export interface DeliveryQuery extends CreatedQuery {
  readonly status?: DeliveryStatus
}

/** The deliveries of webhooks. */
export interface DeliveryLog {
  /**
   * Sends an event of type `webhook.test`, even if the webhook did not ask for that type.
   *
   * @throws {PlatformError} 409 while the webhook is disabled
   */
  test(principal: Principal, id: string, preconditions?: Preconditions): Promise<WebhookDelivery>
  /** Deliveries of the last 30 days, newest event first. */
  deliveries(
    principal: Principal,
    id: string,
    query?: DeliveryQuery,
  ): Promise<ListPage<WebhookDelivery>>
  /**
   * Starts a new round of a delivery, with retries.
   *
   * @throws {PlatformError} 409 while the webhook is disabled
   */
  redeliver(
    principal: Principal,
    id: string,
    deliveryId: string,
    preconditions?: Preconditions,
  ): Promise<WebhookDelivery>
}

/** Options of {@link createDeliveryLog}. */
export interface DeliveryLogOptions {
  /** Called after a commit that adds jobs: moves the outbox to the queue. */
  readonly wake: () => void | Promise<void>
  /** @throws {PlatformError} 404 */
  readonly find: (account: string, id: string) => Promise<Stored<WebhookRecord>>
}

/** Opens the delivery log of the webhooks that `find` finds. */
export function createDeliveryLog(core: Core, { wake, find }: DeliveryLogOptions): DeliveryLog {
  const { records, ids, clock } = core
  /** Commits a delivery that starts now. `null`: a record changed in the meantime. */
  const send = async (
    change: Change,
    account: string,
    delivery: WebhookDeliveryRecord,
    now: number,
    preconditions: Preconditions | undefined,
  ): Promise<WebhookDelivery | null> => {
    putDelivery(records, change, account, delivery)
    enqueueDelivery(records, change, account, delivery)
    const data = deliveryOf(delivery)
    if (!(await commitWithPreconditions(records, change, preconditions, data))) return null
    await wakeUp(core, wake)
    return data
  }
  const findDelivery = async (
    account: string,
    webhook: string,
    id: string,
  ): Promise<Stored<WebhookDeliveryRecord>> => {
    const key = parseDeliveryId(id)
    const stored =
      key && (await records.webhookDeliveries.get(account, ...deliveryKey({ webhook, ...key })))
    if (!stored) throw notFound('Delivery')
    return stored
  }
  return {
    test: ({ account }, id, preconditions) =>
      retryOrBusy('The webhook', async () => {
        const webhook = await find(account, id)
        refuseDisabled(webhook.value)
        const now = clock.now()
        const { description } = webhook.value
        const delivery = newDelivery(
          id,
          { id: ids('evt'), type: 'webhook.test', at: now, data: { webhook: { id, description } } },
          now,
        )
        const change = new Change()
        records.webhooks.require(change, account, webhook)
        return send(change, account, delivery, now, preconditions)
      }),

    async deliveries({ account }, id, query = {}) {
      await find(account, id)
      const { status } = query
      return listRecords(core, {
        account,
        operation: 'webhooks.deliveries',
        query,
        filter: [id, status ?? null],
        source: {
          collection: records.webhookDeliveries,
          within: [id],
          keys: BY_TIME,
          timeOf: ({ at }) => at,
        },
        ...(status !== undefined && {
          keep: (delivery: WebhookDeliveryRecord) => delivery.status === status,
        }),
        show: (items) => items.map(deliveryOf),
      })
    },

    redeliver: ({ account }, id, deliveryId, preconditions) =>
      retryOrBusy('The delivery', async () => {
        const webhook = await find(account, id)
        const old = await findDelivery(account, id, deliveryId)
        refuseDisabled(webhook.value)
        if (old.value.type === ASKING)
          throw conflict('A code is not mailed again: the address is confirmed')
        const now = clock.now()
        const delivery: WebhookDeliveryRecord = {
          ...old.value,
          status: 'pending',
          nextAt: now,
          round: old.value.round + 1,
          tries: 0,
          askedAt: now,
        }
        const change = new Change()
        records.webhooks.require(change, account, webhook)
        records.webhookDeliveries.require(change, account, old)
        return send(change, account, delivery, now, preconditions)
      }),
  }
}

function refuseDisabled({ disabledAt, disabledReason }: WebhookRecord): void {
  if (disabledReason === 'unconfirmed') throw conflict(UNCONFIRMED)
  if (disabledReason === 'unsubscribed') throw conflict(UNSUBSCRIBED)
  if (disabledAt !== null) throw conflict('The webhook is disabled; enable it first')
}
