import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../records.ts'

/** Every type of event that a webhook can ask for. */
export const EVENT_TYPES = [
  'execution.started',
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'dataset.changed',
  'task.drift',
  'schedule.refused',
  'balance.low',
  'webhook.disabled',
] as const

/** What happened. */
export type EventType = (typeof EVENT_TYPES)[number]

/** Something that webhooks are told of. */
export interface PlatformEvent {
  readonly account: string
  readonly type: EventType
  /**
   * `evt_…`, made of the cause so that emitting it again is the same event; letters, digits, `_`
   * and `-`. Receivers know repetitions by it.
   */
  readonly id: string
  /** When it happened: Unix milliseconds. The same whenever the event is emitted. */
  readonly at: number
  /** `data` on the wire. */
  readonly data: { readonly [field: string]: Json }
  /**
   * The task that it concerns, for webhooks that want only some; `null`: none of the account's.
   * Absent: it is not about tasks at all.
   */
  readonly taskId?: string | null
}

/**
 * Adds an event to the commit that is its cause, so that there is no cause without its event and no
 * event without its cause (decisions/018). The outbox hands it to the `event` job, which tells the
 * webhooks.
 */
export function emitEvent(
  records: Records,
  change: Change,
  { account, type, id, at, data, taskId }: PlatformEvent,
): void {
  records.outbox.put(change, SYSTEM, {
    id: `event:${id}`,
    kind: 'event',
    data: { account, type, id, at, data, ...(taskId !== undefined && { taskId }) },
    at: 0,
  })
}
