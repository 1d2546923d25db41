import { emitEvent } from '../common/events.ts'
import { isoTime } from '../common/time.ts'
import { deliveryKey, putDelivery } from './delivery.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { retryFailures } from '../../records/retry.ts'
import type { Records } from '../records.ts'
import type {
  DisabledReason,
  WebhookDeliveryRecord,
  WebhookFailureRecord,
  WebhookRecord,
  DeliveryAttempt,
} from './records.ts'
import type { Metric } from '../../ports/telemetry.ts'
import type { Core } from '../core.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time.ts'

/**
 * When a delivery has finally failed, its webhook is disabled if no delivery has succeeded for this
 * time, in ms.
 */
const HOPELESS_MS = 5 * DAY_MS
const TRIES = 10

const ATTEMPTS: Metric = {
  name: 'seine.delivery.attempts',
  unit: '{attempt}',
  description: 'Attempts at deliveries, by the status that the delivery then has',
}

/**
 * Stores the result of an attempt and its consequences for the webhook in one commit. It retries
 * more often than other writes, because without this record the event would be sent again. `null`:
 * the delivery or the webhook no longer exists.
 */
export async function noteAttempt(
  core: Core,
  account: string,
  old: WebhookDeliveryRecord,
  result: AttemptResult,
): Promise<WebhookDeliveryRecord | null> {
  const { records, clock, random, logger, telemetry } = core
  const chance = (random(1)[0] ?? 0) / 255
  return retryFailures(
    clock,
    async () => {
      const delivery = await records.webhookDeliveries.get(account, ...deliveryKey(old))
      const webhook = await records.webhooks.get(account, old.webhook)
      if (!delivery || !webhook) return null
      // A commit whose answer was lost may still have been written.
      if (
        delivery.value.attempts.some(
          ({ number, at }) => number === result.number && at === result.at,
        )
      )
        return delivery.value
      const next = afterAttempt(delivery.value, result, clock.now(), chance)
      const change = new Change()
      records.webhookDeliveries.require(change, account, delivery)
      const failure = await records.webhookFailures.get(account, old.webhook)
      noteHealth(records, change, account, old.webhook, failure, result)
      const reason = disabling(webhook.value, next, result, failure)
      const isOver = result.isGone || result.isLast
      const stored = isOver ? { ...next, status: 'failed' as const, nextAt: null } : next
      putDelivery(records, change, account, stored)
      change.whenApplied(() =>
        telemetry?.count(ATTEMPTS, 1, { 'seine.delivery.status': stored.status }),
      )
      if (reason) disableWebhook(records, change, account, webhook, reason, clock.now())
      if (!(await records.commit(change)))
        throw new Error('A delivery attempt could not be recorded')
      if (reason) logger.warn('A webhook was disabled', { account, webhook: old.webhook, reason })
      return stored
    },
    TRIES,
  )
}

function noteHealth(
  records: Records,
  change: Change,
  account: string,
  webhook: string,
  failure: Stored<WebhookFailureRecord> | null,
  { error, at }: AttemptResult,
): void {
  if (error === null && failure) {
    records.webhookFailures.require(change, account, failure)
    records.webhookFailures.drop(change, account, webhook)
  }
  if (error !== null && !failure)
    records.webhookFailures.insert(change, account, { webhook, since: at })
}

function disabling(
  { disabledAt, disabledReason }: WebhookRecord,
  next: WebhookDeliveryRecord,
  { isGone, at }: AttemptResult,
  failure: Stored<WebhookFailureRecord> | null,
): DisabledReason | null {
  if (isGone && (disabledAt === null || disabledReason === 'unconfirmed')) return 'gone'
  if (disabledAt !== null) return null
  return next.status === 'failed' && failure !== null && at - failure.value.since >= HOPELESS_MS
    ? 'failing'
    : null
}

/** Disables a webhook in a commit, which also emits an event for the other webhooks. */
export function disableWebhook(
  records: Records,
  change: Change,
  account: string,
  webhook: Stored<WebhookRecord>,
  reason: DisabledReason,
  now: number,
): void {
  const { id, description } = webhook.value
  records.webhooks.update(change, account, webhook, {
    ...webhook.value,
    disabledAt: now,
    disabledReason: reason,
    updatedAt: now,
  })
  emitEvent(records, change, {
    account,
    type: 'webhook.disabled',
    id: `evt_${id}_disabled_${now.toString(36)}`,
    at: now,
    data: { webhook: { id, description, disabledAt: isoTime(now), disabledReason: reason } },
  })
}

const SECOND = 1_000
/** Waits between the attempts of a round: ten attempts in a little more than three days. */
const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
]
/**
 * Up to this share of a wait is added at random, so that deliveries that failed together are not
 * retried together.
 */
const JITTER = 0.2
const LONGEST_RETRY_AFTER = 24 * HOUR_MS
/** Maximum wait before an attempt, in ms. */
export const LONGEST_WAIT = 24 * HOUR_MS * (1 + JITTER) + MINUTE_MS
/** Number of attempts of a delivery that are kept. They are the last ones. */
export const KEPT_ATTEMPTS = 30

/** The result of an attempt. */
export interface AttemptResult extends DeliveryAttempt {
  /** The round of delivery that it belongs to. */
  readonly round: number
  /** The wait that the receiver asked for, in ms. */
  readonly retryAfterMs: number | null
  /** True if the receiver wants no more events, or does not exist. */
  readonly isGone: boolean
  /** True if the attempt failed and no other may follow. */
  readonly isLast: boolean
}

/** True if an HTTP status means that the event arrived. */
export function hasArrived(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299
}

/**
 * Adds one more attempt to a delivery. `chance`: from 0 to 1. If a new round has begun in the
 * meantime, an attempt of the old round counts only if it succeeded.
 */
function afterAttempt(
  delivery: WebhookDeliveryRecord,
  result: AttemptResult,
  now: number,
  chance: number,
): WebhookDeliveryRecord {
  const { round, retryAfterMs, isGone: _gone, isLast: _last, ...attempt } = result
  const { isBegun: _begun, ...rest } = delivery
  const attempted = { ...rest, attempts: [...rest.attempts, attempt].slice(-KEPT_ATTEMPTS) }
  if (attempt.error === null) return { ...attempted, status: 'succeeded', nextAt: null }
  if (round !== delivery.round || delivery.status !== 'pending') return attempted
  const tries = delivery.tries + 1
  const wait = WAITS[delivery.tries]
  if (wait === undefined) return { ...attempted, status: 'failed', nextAt: null, tries }
  const jittered = Math.round(wait * (1 + JITTER * chance))
  return {
    ...attempted,
    tries,
    nextAt: now + Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER)),
  }
}
