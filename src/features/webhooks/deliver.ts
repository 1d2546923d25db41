import { parseDeliveryId, deliveryKey, putDelivery } from './delivery.ts'
import type { JobResult } from '../../ports/queue.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { WebhookDeliveryRecord, WebhookRecord } from './records.ts'
import { KEPT_ATTEMPTS, LONGEST_WAIT, noteAttempt, hasArrived } from './attempts.ts'
import type { DeliveryPermits } from './delivery-permits.ts'
import type { AttemptResult } from './attempts.ts'
import { parseRetryAfter } from '../../engine/egress/retry-after.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { isMail } from './mail/address.ts'
import { ASKING, CODE_MS } from './mail/parts.ts'
import type { MailParts } from './mail/parts.ts'
import type { WebhookSecrets } from './secrets.ts'
import { refuseWebhookUrl } from './webhook.ts'
import { createHmac } from '../../kernel/crypto.ts'
import { toBase64 } from '../../kernel/bytes.ts'
import type { Core } from '../core.ts'

/** Dependencies of sending deliveries. */
export interface Sender {
  readonly egress: Egress
  readonly secrets: WebhookSecrets
  readonly mail: MailParts
  readonly permits: DeliveryPermits
}

/** A round of a delivery. */
interface DeliveryTarget {
  readonly account: string
  readonly webhook: string
  readonly delivery: string
  readonly round: string
}

/**
 * Makes the next attempt at a delivery if one is due, and returns when to come back. An attempt
 * whose result could not be stored, for example after a crash, is made again. Receivers recognise
 * the repetition by its `webhook-id`.
 */
export async function deliver(
  core: Core,
  sender: Sender,
  { account, webhook: webhookId, delivery: id, round }: DeliveryTarget,
  signal: AbortSignal,
): Promise<JobResult> {
  const { records, clock } = core
  const key = parseDeliveryId(id)
  const delivery =
    key &&
    (await records.webhookDeliveries.get(account, ...deliveryKey({ webhook: webhookId, ...key })))
  if (!delivery || !isOpen(delivery.value, round)) return 'done'
  const { nextAt } = delivery.value
  const wait = nextAt === null ? 0 : nextAt - clock.now()
  // A clock that was ahead has set the longer wait.
  if (nextAt !== null && wait > 0 && wait <= LONGEST_WAIT) return { again: nextAt }
  const webhook = await records.webhooks.get(account, webhookId)
  if (!webhook) return 'done'
  if (!mayBeSent(webhook.value, delivery.value, clock.now()))
    return (await giveUp(records, account, delivery)) ? 'done' : { again: clock.now() }
  const turn = await sender.permits.enter(webhookId)
  if ('comeBackAt' in turn) return { again: turn.comeBackAt }
  try {
    const result = await attemptDelivery(
      core,
      sender,
      account,
      webhook.value,
      delivery.value,
      signal,
    )
    if ('waitUntil' in result) return await postpone(core, account, delivery, result.waitUntil)
    const updated = await noteAttempt(core, account, delivery.value, result)
    return updated && isOpen(updated, round) ? { again: updated.nextAt ?? clock.now() } : 'done'
  } catch (error) {
    if (signal.aborted) return { again: clock.now() }
    throw error
  } finally {
    turn.leave()
  }
}

/**
 * Ends a delivery for good, with an attempt that contains the reason. A caller may request the
 * delivery again.
 */
export async function abandonDelivery(
  records: Records,
  target: DeliveryTarget,
  error: string,
  now: number,
): Promise<boolean> {
  const key = parseDeliveryId(target.delivery)
  const delivery =
    key &&
    (await records.webhookDeliveries.get(
      target.account,
      ...deliveryKey({ webhook: target.webhook, ...key }),
    ))
  if (!delivery || !isOpen(delivery.value, target.round)) return true
  const { attempts } = delivery.value
  const attempt = {
    number: (attempts.at(-1)?.number ?? 0) + 1,
    at: now,
    httpStatus: null,
    durationMs: 0,
    error,
  }
  const change = new Change()
  records.webhookDeliveries.require(change, target.account, delivery)
  putDelivery(records, change, target.account, {
    ...delivery.value,
    status: 'failed',
    nextAt: null,
    attempts: [...attempts, attempt].slice(-KEPT_ATTEMPTS),
  })
  return records.commit(change)
}

/** Ends a delivery that may no longer be sent. `false`: it changed in the meantime. */
function giveUp(
  records: Records,
  account: string,
  delivery: Stored<WebhookDeliveryRecord>,
): Promise<boolean> {
  const change = new Change()
  records.webhookDeliveries.require(change, account, delivery)
  putDelivery(records, change, account, { ...delivery.value, status: 'failed', nextAt: null })
  return records.commit(change)
}

/**
 * Plans the next attempt for later. No attempt is counted, so that the delivery keeps all its
 * attempts.
 */
async function postpone(
  { records, clock }: Core,
  account: string,
  delivery: Stored<WebhookDeliveryRecord>,
  nextAt: number,
): Promise<JobResult> {
  const change = new Change()
  records.webhookDeliveries.require(change, account, delivery)
  putDelivery(records, change, account, { ...delivery.value, nextAt })
  return { again: (await records.commit(change)) ? nextAt : clock.now() }
}

function isOpen({ status, round: present }: WebhookDeliveryRecord, round: string): boolean {
  return status === 'pending' && String(present) === round
}

/**
 * Until the person at a mail address has confirmed it, the address gets only the message that asks
 * for this.
 */
function mayBeSent(
  { url, disabledAt, disabledReason, mail }: WebhookRecord,
  { type }: WebhookDeliveryRecord,
  now: number,
): boolean {
  if (type === ASKING)
    return (
      disabledReason === 'unconfirmed' && mail?.confirmedAt === null && now < mail.askedAt + CODE_MS
    )
  return disabledAt === null && (!isMail(url) || typeof mail?.confirmedAt === 'number')
}

const TIMEOUT_MS = 15_000
const HTTP_GONE = 410
const encoder = new TextEncoder()

/**
 * Sends a delivery once, by mail or by HTTP. If the account may send no more mail today, it returns
 * when to try instead.
 *
 * @throws the reason of `signal`, since an attempt that was aborted says nothing about the receiver
 */
async function attemptDelivery(
  core: Core,
  sender: Sender,
  account: string,
  webhook: WebhookRecord,
  delivery: WebhookDeliveryRecord,
  signal: AbortSignal,
): Promise<AttemptResult | { readonly waitUntil: number }> {
  if (!isMail(webhook.url)) return postOnce(core, sender, account, webhook, delivery, signal)
  const { clock } = core
  const begun = clock.now()
  const { mailOnce } = await import('./mail/attempt.ts')
  const refusal = await mailOnce(core, sender.mail, account, webhook, delivery, signal)
  if (refusal !== null && 'waitUntil' in refusal) return refusal
  return {
    number: (delivery.attempts.at(-1)?.number ?? 0) + 1,
    round: delivery.round,
    at: begun,
    httpStatus: null,
    durationMs: clock.now() - begun,
    error: refusal?.code ?? null,
    isGone: refusal?.isGone ?? false,
    isLast: delivery.type === ASKING && refusal?.isUnknown === true,
    retryAfterMs: null,
  }
}

/**
 * Sends a delivery's body once, signed as of now. Only the status, the duration and the
 * `Retry-After` header of the response are used: its content must not be readable through this
 * service. A redirect is not a success and is not followed.
 *
 * @throws the reason of `signal`, since an attempt that was aborted says nothing about the receiver
 */
async function postOnce(
  { clock, allowPrivateNetwork }: Core,
  { egress, secrets }: Sender,
  account: string,
  webhook: WebhookRecord,
  delivery: WebhookDeliveryRecord,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const now = clock.now()
  const base = {
    number: (delivery.attempts.at(-1)?.number ?? 0) + 1,
    round: delivery.round,
    at: now,
    isLast: false,
  }
  const failed = (error: string): AttemptResult => ({
    ...base,
    httpStatus: null,
    durationMs: clock.now() - now,
    error,
    isGone: false,
    retryAfterMs: null,
  })
  if (refuseWebhookUrl(webhook.url, allowPrivateNetwork) !== null) return failed('refused')
  const openedSecrets = await secrets.open(account, webhook, now)
  // If the platform's secret was lost, only a rotation helps. Until then the attempt counts as
  // failed.
  if (openedSecrets.length === 0) return failed('no_secret')
  const signed = await signatureHeaders(openedSecrets, {
    id: delivery.event,
    at: now,
    body: delivery.body,
  })
  try {
    const headers = { ...signed, 'content-type': 'application/json' }
    const answer = await egress({
      url: webhook.url,
      purpose: 'webhook',
      method: 'POST',
      headers,
      body: encoder.encode(delivery.body),
      timeoutMs: TIMEOUT_MS,
      maxRedirects: 0,
      signal,
    })
    const { status: httpStatus } = answer
    const error = hasArrived(httpStatus) ? null : `http_${httpStatus}`
    return {
      ...base,
      httpStatus,
      durationMs: clock.now() - now,
      error,
      isGone: httpStatus === HTTP_GONE,
      retryAfterMs:
        error === null ? null : parseRetryAfter(answer.headers['retry-after'], clock.now()),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof EgressError) return failed(error.reason)
    throw error
  }
}

/** The signed parts: a message id, the time of sending (Unix milliseconds), and the body. */
interface Signed {
  readonly id: string
  readonly at: number
  readonly body: string
}

/**
 * The headers of Standard Webhooks 1.0: id, time in Unix seconds, and one signature for each
 * secret, so that a receiver may know any of them.
 */
async function signatureHeaders(
  secrets: readonly Uint8Array<ArrayBuffer>[],
  { id, at: now, body }: Signed,
): Promise<Record<string, string>> {
  const timestamp = Math.floor(now / 1_000)
  const signatures = await Promise.all(
    secrets.map(
      async (secret) => `v1,${toBase64(await createHmac(secret)(`${id}.${timestamp}.${body}`))}`,
    ),
  )
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  }
}
