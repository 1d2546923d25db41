import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Core } from '../core.ts'
import type { Records } from '../records.ts'
import type { DeliveryAttempt, DeliveryStatus, WebhookDeliveryRecord } from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** Time in ms for which a delivery is kept after the last request for it. */
const RETENTION_MS = 30 * DAY_MS

/** A delivery on the wire. */
export interface WebhookDelivery {
  readonly id: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  readonly occurredAt: string
  readonly status: DeliveryStatus
  /** The last attempts, oldest first. */
  readonly attempts: readonly (Omit<DeliveryAttempt, 'at'> & { readonly at: string })[]
  readonly nextAttemptAt: string | null
  /** The body that is sent to the receiver. */
  readonly payload: Json
}

/** The event in the form that the receiver gets. */
export interface Envelope {
  readonly id: string
  readonly type: string
  /** Unix milliseconds. */
  readonly at: number
  readonly data: object
}

/** A delivery without attempts. */
export function newDelivery(
  webhook: string,
  { id, type, at, data }: Envelope,
  now: number,
): WebhookDeliveryRecord {
  const body = JSON.stringify({ id, type, timestamp: isoTime(at), data })
  return {
    webhook,
    at,
    event: id,
    type,
    body,
    status: 'pending',
    attempts: [],
    nextAt: now,
    round: 1,
    tries: 0,
    askedAt: now,
  }
}

/** Key parts under which a delivery is stored. */
export function deliveryKey({
  webhook,
  at,
  event,
}: Pick<WebhookDeliveryRecord, 'webhook' | 'at' | 'event'>): readonly [string, number, string] {
  return [webhook, at, event]
}

/** Writes a delivery; it expires with its retention. */
export function putDelivery(
  records: Records,
  change: Change,
  account: string,
  delivery: WebhookDeliveryRecord,
): void {
  records.webhookDeliveries.put(change, account, delivery, delivery.askedAt + RETENTION_MS)
}

/** Adds the job that makes a delivery's attempts to the commit that asks for them. */
export function enqueueDelivery(
  records: Records,
  change: Change,
  account: string,
  { webhook, at, event, round }: WebhookDeliveryRecord,
): void {
  const data = { account, webhook, delivery: deliveryId({ at, event }), round: String(round) }
  records.outbox.put(change, SYSTEM, {
    id: `webhook:${webhook}:${data.delivery}:${round}`,
    kind: 'webhook',
    data,
    lane: 'remote',
    at: 0,
  })
}

/**
 * Moves the jobs of a commit to the queue. If that fails, the commit is still valid, and the jobs
 * start later.
 */
export async function wakeUp(
  { logger }: Pick<Core, 'logger'>,
  wake: () => void | Promise<void>,
): Promise<void> {
  try {
    await wake()
  } catch (error) {
    // The job is safe in the outbox; only its start is delayed.
    logger.warn('The queue could not be woken', { error })
  }
}

/** The id of a delivery on the wire. Together with its webhook's id it locates the record. */
export function deliveryId({ at, event }: Pick<WebhookDeliveryRecord, 'at' | 'event'>): string {
  return `dlv_${at.toString(36)}_${event}`
}

/** The inverse of {@link deliveryId}. `null` for any other text. */
export function parseDeliveryId(
  id: string,
): { readonly at: number; readonly event: string } | null {
  const [, time = '', event = ''] = /^dlv_([0-9a-z]{1,10})_([\w-]{1,200})$/.exec(id) ?? []
  const moment = Number.parseInt(time, 36)
  return event !== '' && moment.toString(36) === time ? { at: moment, event } : null
}

/** Converts a delivery to the wire. */
export function deliveryOf(delivery: WebhookDeliveryRecord): WebhookDelivery {
  const { webhook, at, event, type, body, status, attempts, nextAt } = delivery
  return {
    id: deliveryId(delivery),
    webhookId: webhook,
    eventId: event,
    type,
    occurredAt: isoTime(at),
    status,
    attempts: attempts.map((attempt) => ({ ...attempt, at: isoTime(attempt.at) })),
    nextAttemptAt: isoTimeOrNull(nextAt),
    payload: JSON.parse(body),
  }
}
