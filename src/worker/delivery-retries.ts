import type { DeliveryAttempt, WebhookDeliveryRecord } from '../records/webhook-records.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Waits between the attempts of a round: ten attempts in a little more than three days. */
const WAITS: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
/**
 * Up to this part of a wait is added, so that deliveries which failed together do not come back
 * together.
 */
const JITTER = 0.2
const LONGEST_RETRY_AFTER = 24 * HOUR
/** Attempts of a delivery that are kept, the last ones. */
export const KEPT_ATTEMPTS = 30

/** What an attempt came to. */
export interface AttemptResult extends DeliveryAttempt {
  /** The round of delivery that it belongs to. */
  readonly round: number
  /** The wait that the receiver asked for, in ms. */
  readonly retryAfterMs: number | null
}

/** Whether an HTTP status says that the event arrived. */
export function hasArrived(httpStatus: number): boolean {
  return httpStatus >= 200 && httpStatus <= 299
}

/**
 * A delivery after one more attempt. `chance`: from 0 to 1. Of a round that someone has begun anew
 * meanwhile only a success counts.
 */
export function afterAttempt(
  delivery: WebhookDeliveryRecord,
  result: AttemptResult,
  now: number,
  chance: number,
): WebhookDeliveryRecord {
  const { round, retryAfterMs, ...attempt } = result
  const noted = { ...delivery, attempts: [...delivery.attempts, attempt].slice(-KEPT_ATTEMPTS) }
  if (attempt.error === null) return { ...noted, status: 'succeeded', nextAt: null }
  if (round !== delivery.round || delivery.status !== 'pending') return noted
  const tries = delivery.tries + 1
  const wait = WAITS[delivery.tries]
  if (wait === undefined) return { ...noted, status: 'failed', nextAt: null, tries }
  const jittered = Math.round(wait * (1 + JITTER * chance))
  return {
    ...noted,
    tries,
    nextAt: now + Math.max(jittered, Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER)),
  }
}
