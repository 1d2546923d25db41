import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../records.ts'

/** All event types that a webhook can ask for. */
export const EVENT_TYPES = [
  'execution.started',
  'execution.succeeded',
  'execution.failed',
  'execution.cancelled',
  'dataset.changed',
  'task.drift',
  'task.relocation',
  'task.repaired',
  'schedule.refused',
  'balance.low',
  'webhook.disabled',
] as const

/** Type of an event. */
export type EventType = (typeof EVENT_TYPES)[number]

/** An event that webhooks may receive. */
export interface PlatformEvent {
  readonly account: string
  readonly type: EventType
  /**
   * `evt_…`, derived from the cause, so that emitting it again gives the same event. Letters,
   * digits, `_` and `-`. Receivers recognise repetitions by it.
   */
  readonly id: string
  /** Unix milliseconds when it happened. The same each time the event is emitted. */
  readonly at: number
  /** `data` on the wire. */
  readonly data: { readonly [field: string]: Json }
  /**
   * The task that it is about, for webhooks that want only some tasks. `null`: none of the
   * account's tasks. Absent: it is not about tasks.
   */
  readonly taskId?: string | null
}

/**
 * Adds an event to the commit that causes it, so that a cause and its event are always written
 * together (decisions/018). The outbox passes it to the `event` job, which creates the deliveries.
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
