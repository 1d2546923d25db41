import { conflict } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { HISTORY_MS } from '../../records/live-records.ts'
import type { Stored } from '../../records/collection.ts'
import type { Records } from '../../records/records.ts'
import type { Drift, ExecutionRecord, ExecutionStatus, Reason } from '../../records/types.ts'
import { emitEvent } from '../common/emit-event.ts'
import type { EventType } from '../common/emit-event.ts'

/** Every move that an execution may make (design 4.4); a state without moves is final. */
const MOVES: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  queued: ['running', 'paused', 'cancelled'],
  running: ['succeeded', 'failed', 'cancelled', 'timed_out', 'paused'],
  paused: ['queued', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  timed_out: [],
}

/** What webhooks are told of a move. */
const EVENTS: Readonly<Partial<Record<ExecutionStatus, EventType>>> = {
  running: 'execution.started',
  succeeded: 'execution.succeeded',
  failed: 'execution.failed',
  timed_out: 'execution.failed',
  cancelled: 'execution.cancelled',
}

/** True for a state that never changes any more. */
export function isFinal(status: ExecutionStatus): boolean {
  return MOVES[status].length === 0
}

/** Whether an execution in state `from` may become `to`. */
export function canMove(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return MOVES[from].includes(to)
}

/** Facts of a move. */
export interface MoveFacts {
  /** Unix milliseconds. */
  readonly now: number
  /** Why; kept with the execution. Absent: no reason. */
  readonly reason?: Reason
  /** Columns that were filled less than usual. */
  readonly drift?: readonly Drift[]
}

/**
 * Adds an execution's move to a commit, which then succeeds only if the execution is still as it
 * was read. A final move also asks for a sweep of what only a running execution needs. A move out
 * of `running` also takes away the fence and the heartbeat, so that a worker that does not know of
 * the move can commit nothing more and nobody waits for its lease to end.
 *
 * The move itself is kept too, for a day, so that who watches misses none. The first move to
 * `running` and the final one are events.
 *
 * `updatedAt` of the result is greater than before, even where the clock is not: it tells one move
 * from the next.
 *
 * @throws {PlatformError} 409 that names the state, for a move that is not allowed
 */
export function moveExecution(
  records: Records,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  to: ExecutionStatus,
  { now, reason, drift }: MoveFacts,
): ExecutionRecord {
  const old = stored.value
  if (!canMove(old.status, to))
    throw conflict(
      isFinal(old.status)
        ? `The execution has already ended: it is ${old.status}`
        : `The execution is ${old.status} and cannot become ${to}`,
    )
  const moved: ExecutionRecord = {
    ...old,
    status: to,
    reason: reason ?? null,
    startedAt: to === 'running' ? (old.startedAt ?? now) : old.startedAt,
    finishedAt: isFinal(to) ? now : null,
    updatedAt: Math.max(now, old.updatedAt + 1),
    ...(drift && { drift }),
  }
  records.executions.update(change, account, stored, moved)
  records.moves.put(
    change,
    account,
    {
      execution: old.id,
      at: moved.updatedAt,
      status: to,
      reason: moved.reason,
      startedAt: moved.startedAt,
      finishedAt: moved.finishedAt,
    },
    now + HISTORY_MS,
  )
  if (old.status === 'running') {
    records.fences.drop(change, account, old.id)
    records.heartbeats.drop(change, account, old.id)
  }
  if (to !== 'running' || old.startedAt === null) emitMove(records, change, account, moved)
  if (isFinal(to) && old.datasetId)
    requestMerge(records, change, account, old.datasetId, old.id, now)
  if (isFinal(to)) requestSweeps(records, change, account, old, now)
  return moved
}

/**
 * The event carries the id alone: what it tells of the execution is read when webhooks are told, as
 * its last counters are no part of the move.
 */
function emitMove(
  records: Records,
  change: Change,
  account: string,
  { id, status, taskId, updatedAt }: ExecutionRecord,
): void {
  const type = EVENTS[status]
  if (type)
    emitEvent(records, change, {
      account,
      type,
      id: `evt_${id}_${type.slice('execution.'.length)}`,
      at: updatedAt,
      data: { execution: { id } },
      taskId,
    })
}

/** Adds the job that advances a queued execution to the commit that queues it. */
export function enqueueExecution(
  records: Records,
  change: Change,
  account: string,
  execution: ExecutionRecord,
  now: number,
): void {
  const { id, updatedAt } = execution
  // Each time an execution is queued it wants a job of its own: an earlier one may just be ending.
  records.outbox.put(change, SYSTEM, {
    id: `run:${id}:${updatedAt}`,
    kind: 'execution',
    data: { account, execution: id },
    lane: 'long',
    at: now,
  })
}

/**
 * What only a running execution needs goes at once; pages that others may read, when they are too
 * old for that.
 */
function requestSweeps(
  records: Records,
  change: Change,
  account: string,
  { id, recipe }: ExecutionRecord,
  now: number,
): void {
  const data = { account, execution: id }
  const maxAgeMs = maxAgeOf(recipe)
  records.outbox.put(change, SYSTEM, { id: `sweep:${id}`, kind: 'sweep', data, at: now })
  if (maxAgeMs > 0)
    records.outbox.put(change, SYSTEM, {
      id: `sweep:${id}:cache`,
      kind: 'sweep',
      data,
      at: now + maxAgeMs + 1,
    })
}

/** `page.maxAgeSeconds` of a recipe, which was valid when it was saved. */
function maxAgeOf(recipe: Json): number {
  const page = isObject(recipe) ? recipe['page'] : undefined
  const seconds = isObject(page) ? page['maxAgeSeconds'] : undefined
  return typeof seconds === 'number' ? seconds * 1_000 : 0
}

/** Lines a finished execution up for its dataset. Whether it gives its rows, the merge decides. */
function requestMerge(
  records: Records,
  change: Change,
  account: string,
  dataset: string,
  execution: string,
  at: number,
): void {
  records.pendingMerges.put(change, account, { dataset, at, execution })
  records.outbox.put(change, SYSTEM, {
    id: `merge:${execution}`,
    kind: 'merge',
    data: { account, dataset },
    at,
  })
}
