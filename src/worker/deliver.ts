import { parseDeliveryId, placeOf, putDelivery } from '../features/webhooks/delivery.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import type { Stored } from '../records/collection.ts'
import type { Records } from '../records/records.ts'
import type { WebhookDeliveryRecord } from '../records/webhook-records.ts'
import { attemptDelivery } from './attempt-delivery.ts'
import type { AttemptOptions } from './attempt-delivery.ts'
import { KEPT_ATTEMPTS } from './delivery-retries.ts'
import type { DeliverySlots } from './delivery-slots.ts'
import { noteAttempt } from './note-attempt.ts'
import type { NoteOptions } from './note-attempt.ts'

/** What {@link deliver} works with. */
export interface DeliverOptions extends AttemptOptions, NoteOptions {
  readonly slots: DeliverySlots
}

/** Which round of which delivery. */
export interface DeliveryTarget {
  readonly account: string
  readonly webhook: string
  readonly delivery: string
  readonly round: string
}

/**
 * Makes the next attempt at a delivery, if one is due, and tells when to come back. An attempt
 * whose outcome could not be written down, as after a crash, is made again: receivers know the
 * repetition by its `webhook-id`.
 */
export async function deliver(
  options: DeliverOptions,
  { account, webhook: webhookId, delivery: id, round }: DeliveryTarget,
  signal: AbortSignal,
): Promise<JobResult> {
  const { records, clock, slots } = options
  const place = parseDeliveryId(id)
  const delivery =
    place &&
    (await records.webhookDeliveries.get(account, ...placeOf({ webhook: webhookId, ...place })))
  if (!delivery || !isOpen(delivery.value, round)) return 'done'
  const { nextAt } = delivery.value
  if (nextAt !== null && nextAt > clock.now()) return { again: nextAt }
  const webhook = await records.webhooks.get(account, webhookId)
  if (!webhook) return 'done'
  if (webhook.value.disabledAt !== null)
    return (await giveUp(records, account, delivery)) ? 'done' : { again: clock.now() }
  const turn = await slots.enter(webhookId)
  if ('comeBackAt' in turn) return { again: turn.comeBackAt }
  try {
    const result = await attemptDelivery(options, account, webhook.value, delivery.value, signal)
    const noted = await noteAttempt(options, account, delivery.value, result)
    return noted && isOpen(noted, round) ? { again: noted.nextAt ?? clock.now() } : 'done'
  } catch (error) {
    if (signal.aborted) return { again: clock.now() }
    throw error
  } finally {
    turn.leave()
  }
}

/**
 * Ends a delivery whose attempts are over for good, with an attempt that says why. Someone may want
 * it delivered again.
 */
export async function abandonDelivery(
  records: Records,
  target: DeliveryTarget,
  error: string,
  now: number,
): Promise<boolean> {
  const place = parseDeliveryId(target.delivery)
  const delivery =
    place &&
    (await records.webhookDeliveries.get(
      target.account,
      ...placeOf({ webhook: target.webhook, ...place }),
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

/** Ends a delivery that may not be sent any more. `false`: it changed meanwhile. */
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

function isOpen({ status, round: present }: WebhookDeliveryRecord, round: string): boolean {
  return status === 'pending' && String(present) === round
}
