import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { Change } from '../../records/change.ts'
import { emptyProgress, HISTORY_MS } from './records.ts'
import type { Records } from '../records.ts'
import type { ExecutionRecord, ProgressRecord, Drift, ExecutionStatus, Reason } from './records.ts'
import { capsOf } from '../ledger/plans.ts'
import { demandBytes } from '../limits/stored-bytes.ts'
import { countBegin, countEnd } from '../common/usage.ts'
import { estimateOf, keptEstimateOf } from '../ledger/estimate.ts'
import { requestRetention, retires } from './retention.ts'
import { conflict } from '../../kernel/errors.ts'
import type { Stored } from '../../records/collection.ts'
import type { Batch } from '../ledger/batch.ts'
import { SYSTEM } from '../../records/collection.ts'
import { demandRoom } from './room.ts'
import { emitEvent } from '../common/events.ts'
import type { EventType } from '../common/events.ts'
import { isObject } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { MINUTE_MS } from '../../kernel/time.ts'
import { FEW } from '../../records/paginate.ts'
import type { Core } from '../core.ts'

/** Facts of an execution that are decided before it begins. */
export type NewExecution = Pick<
  ExecutionRecord,
  | 'id'
  | 'taskId'
  | 'templateId'
  | 'recipe'
  | 'params'
  | 'retryOf'
  | 'extractOf'
  | 'failedOf'
  | 'scheduledFor'
  | 'datasetId'
  | 'partial'
  | 'startedBy'
>

/**
 * Adds a new execution to a commit, together with the hold on the credits it may cost and the job
 * that works on it. If the account can spend less, the hold is that amount.
 *
 * @throws {PlatformError} 402 if the account cannot pay for a page, 429 if the account has as many
 *   unfinished executions as its plan allows, 409 if the account has stored its maximum of bytes
 */
export async function beginExecution(
  { records, ledger, tariff }: Core,
  change: Change,
  account: string,
  facts: NewExecution,
  plan: CrawlPlan,
  now: number,
): Promise<{ execution: ExecutionRecord; progress: ProgressRecord }> {
  const most =
    facts.extractOf === undefined
      ? estimateOf(plan, tariff.prices)
      : keptEstimateOf(
          plan,
          tariff.prices,
          plan.model === null ? 0 : await keptPages(records, account, facts.extractOf),
        )
  const reserved = await ledger.reserve(change, account, facts, most, now, async (session) => {
    await demandRoom(records, account, session)
    await demandBytes(records, account, capsOf(session.plan).bytes)
  })
  const execution: ExecutionRecord = {
    ...facts,
    reserved,
    ...(reserved < most.credits && { wanted: most.credits }),
    status: 'queued',
    reason: null,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    updatedAt: now,
  }
  const progress = emptyProgress(execution.id)
  records.executions.insert(change, account, execution)
  records.progress.put(change, account, progress)
  enqueueExecution(records, change, account, execution, now)
  countBegin(records, change, account, execution)
  if (retires(tariff)) await requestRetention(records, change, account, now)
  return { execution, progress }
}

async function keptPages(records: Records, account: string, execution: string): Promise<number> {
  return (await records.progress.get(account, execution))?.value.kept?.pages ?? 0
}

/** A final state: it never changes again. */
type FinalStatus = 'succeeded' | 'failed' | 'cancelled' | 'timed_out'

/**
 * Adds the end of an execution to a commit.
 *
 * @throws {PlatformError} 409 for a move that is not allowed
 */
type EndNow = (change: Change, to: FinalStatus, facts: MoveFacts) => ExecutionRecord

/**
 * Reads what the end of an execution needs. The returned function adds the end to a commit and
 * gives back the unspent part of the hold. The commit also depends on the counters, so that it uses
 * the amount spent after the last page.
 */
export async function readEnd(
  { records, ledger }: Pick<Core, 'records' | 'ledger'>,
  batch: Batch,
  stored: Stored<ExecutionRecord>,
): Promise<EndNow> {
  const { account } = batch
  const [progress, release] = await Promise.all([
    records.progress.get(account, stored.value.id),
    ledger.release(batch, stored.value),
  ])
  return (change, to, facts) => {
    const moved = moveExecution(records, change, account, stored, to, facts)
    if (progress) records.progress.require(change, account, progress)
    release(change, progress?.value.credits ?? 0)
    countEnd(records, change, account, moved, progress?.value ?? null)
    return moved
  }
}

/**
 * Same as {@link readEnd}, for an execution that does not share its commit.
 *
 * @throws {PlatformError} 409 for a move that is not allowed
 */
export async function endExecution(
  core: Pick<Core, 'records' | 'ledger'>,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  to: FinalStatus,
  facts: MoveFacts,
): Promise<ExecutionRecord> {
  const batch = core.ledger.batch(account, facts.now)
  const moved = (await readEnd(core, batch, stored))(change, to, facts)
  batch.write(change)
  return moved
}

/**
 * The moves that an execution may make. A state without moves is final. An execution that is queued
 * again gets another job, and its former worker can commit nothing more.
 */
const MOVES: Readonly<Record<ExecutionStatus, readonly ExecutionStatus[]>> = {
  queued: ['running', 'paused', 'cancelled', 'queued'],
  running: ['succeeded', 'failed', 'cancelled', 'timed_out', 'paused', 'queued'],
  paused: ['queued', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
  timed_out: [],
}

/** The webhook event of each status. */
const EVENTS: Readonly<Partial<Record<ExecutionStatus, EventType>>> = {
  running: 'execution.started',
  succeeded: 'execution.succeeded',
  failed: 'execution.failed',
  timed_out: 'execution.failed',
  cancelled: 'execution.cancelled',
}

/** True for a final state, which never changes again. */
export function isFinal(status: ExecutionStatus): boolean {
  return MOVES[status].length === 0
}

/** True if an execution in state `from` may move to `to`. */
export function canMove(from: ExecutionStatus, to: ExecutionStatus): boolean {
  return MOVES[from].includes(to)
}

/** Facts of a move. */
interface MoveFacts {
  /** Unix milliseconds. */
  readonly now: number
  /** Why it moved; stored with the execution. Absent: no reason. */
  readonly reason?: Reason
  /** Columns that are filled less than usual. */
  readonly drift?: readonly Drift[]
  /** True if the worker of the execution makes the move, between two of its writes. */
  readonly byWorker?: boolean
}

/**
 * Adds an execution's move to a commit. The commit succeeds only if the execution has not changed
 * since it was read. A final move also queues a sweep of the records that only a running execution
 * needs. A move out of `running` also deletes the fence and the heartbeat: a worker that has not
 * seen the move can then commit nothing more, and its lease need not be waited for.
 *
 * The move itself is stored for a day, so that streams of live events miss none. The first move to
 * `running` and the final move are events.
 *
 * `updatedAt` of the result always grows, even if the clock has not advanced, so that each move has
 * its own value.
 *
 * @throws {PlatformError} 409 that names the state, for a move that is not allowed
 */
export function moveExecution(
  records: Records,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
  to: ExecutionStatus,
  { now, reason, drift, byWorker = false }: MoveFacts,
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
    ...(old.status === 'running' && !byWorker && { interrupted: true }),
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
  if (isFinal(to)) requestSweeps(records, change, account, moved, now)
  return moved
}

/**
 * Marks an execution whose worker or helper may have died while it wrote a blob, or does not know
 * whether it has written one, so that another sweep follows its end. The commit depends on the
 * execution.
 */
export function markInterrupted(
  records: Records,
  change: Change,
  account: string,
  stored: Stored<ExecutionRecord>,
): void {
  if (stored.value.interrupted) records.executions.require(change, account, stored)
  else records.executions.update(change, account, stored, { ...stored.value, interrupted: true })
}

/**
 * Emits an event that carries only the execution's id. All other data is read when the deliveries
 * are created, because the move does not contain the final counters.
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
  const { id, taskId, updatedAt } = execution
  if (taskId !== null)
    records.taskStarts.put(change, account, { task: taskId, at: now }, now + HISTORY_MS)
  // Each time an execution is queued it gets a new job, because the earlier job may be about to
  // end.
  records.outbox.put(change, SYSTEM, {
    id: `run:${id}:${updatedAt}`,
    kind: 'execution',
    data: { account, execution: id },
    lane: 'long',
    at: 0,
  })
}

/**
 * Queues the sweep of records that only a running execution needs, at once. Cached pages, which
 * other executions may read, are swept when they are too old to be read. A second sweep finds what
 * an interrupted worker may still write.
 */
function requestSweeps(
  records: Records,
  change: Change,
  account: string,
  { id, recipe, interrupted = false }: ExecutionRecord,
  now: number,
): void {
  const execution = { account, id }
  const maxAgeMs = maxAgeOf(recipe)
  requestSweep(records, change, execution)
  if (maxAgeMs > 0)
    requestSweep(records, change, execution, { part: 'cache', at: now + maxAgeMs + 1 })
  if (interrupted) requestLateSweep(records, change, execution, now)
}

/**
 * Time in ms after which a write that was given up has no effect any more. A blob store may still
 * carry it out some minutes after the worker has died.
 */
export const LATE_MS = 10 * MINUTE_MS

/** Queues a sweep for when no write of a dead worker can have an effect any more. */
export function requestLateSweep(
  records: Records,
  change: Change,
  execution: { readonly account: string; readonly id: string },
  now: number,
): void {
  requestSweep(records, change, execution, { part: 'late', at: now + LATE_MS })
}

/** Queues a sweep. `later`: one of several, named by `part`, which waits until a time. */
export function requestSweep(
  records: Records,
  change: Change,
  { account, id }: { readonly account: string; readonly id: string },
  later?: { readonly part: string; readonly at: number },
): void {
  const data = { account, execution: id }
  records.outbox.put(change, SYSTEM, {
    id: later ? `sweep:${id}:${later.part}` : `sweep:${id}`,
    kind: 'sweep',
    data: later ? { ...data, at: String(later.at) } : data,
    at: later?.at ?? 0,
  })
}

/**
 * `page.maxAgeSeconds` of a stored recipe, in milliseconds. The recipe is not checked, because an
 * earlier version may have stored it, and its cached pages must be deleted in any case.
 */
function maxAgeOf(recipe: Json): number {
  const page = isObject(recipe) ? recipe['page'] : undefined
  const seconds = isObject(page) ? page['maxAgeSeconds'] : undefined
  return typeof seconds === 'number' ? seconds * 1_000 : 0
}

/** Queues a finished execution for its dataset. The merge decides whether its rows are used. */
function requestMerge(
  records: Records,
  change: Change,
  account: string,
  dataset: string,
  execution: string,
  time: number,
): void {
  records.pendingMerges.put(change, account, { dataset, at: time, execution })
  records.outbox.put(change, SYSTEM, {
    id: `merge:${execution}`,
    kind: 'merge',
    data: { account, dataset },
    at: 0,
  })
}

const UNFINISHED = ['queued', 'running', 'paused'] as const

/**
 * Returns `false` if a task has an unfinished execution. Otherwise it makes a commit fail if an
 * execution of the task is queued meanwhile.
 */
export async function requireIdle(
  records: Records,
  change: Change,
  account: string,
  taskId: string,
): Promise<boolean> {
  // The record is read first. An execution that is queued after this read changes the record.
  const start = await records.taskStarts.get(account, taskId)
  change.check(records.taskStarts.key(account, [taskId]), start?.version ?? null)
  return !(await hasUnfinished(records, account, taskId))
}

/** Only unfinished executions are read, however many have finished. */
async function hasUnfinished(records: Records, account: string, taskId: string): Promise<boolean> {
  for (const status of UNFINISHED) {
    let after: readonly KeyPart[] | undefined
    for (;;) {
      const executions = await records.executions.listBy('status', account, {
        within: [status],
        limit: FEW,
        ...(after && { after }),
      })
      if (executions.some(({ record }) => record.value.taskId === taskId)) return true
      after = executions.at(-1)?.position
      if (after === undefined) break
    }
  }
  return false
}
