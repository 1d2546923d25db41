import { pendingOf } from './records.ts'
import type {
  Drift,
  ExecutionRecord,
  KeptCounts,
  ModelCounts,
  Outcome,
  ExecutionStatus,
  ProgressRecord,
} from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import { relocationOf } from './relocation.ts'
import type { Relocation } from './relocation.ts'
import type { IndexRange } from '../common/timed-records.ts'

/**
 * Counters of an execution so far. `pending`: known URLs without an outcome. `visited`: URLs that
 * were visited.
 */
export type Counters = Readonly<
  Record<Outcome | 'discovered' | 'pending' | 'visited' | 'rows' | 'bytes', number>
>

/** An execution on the wire. */
export interface Execution extends Omit<
  ExecutionRecord,
  | 'recipe'
  | 'params'
  | 'detected'
  | 'templateId'
  | 'extractOf'
  | 'failedOf'
  | 'datasetId'
  | 'partial'
  | 'scheduledFor'
  | 'drift'
  | 'relocation'
  | 'rowsDeletedAt'
  | 'mediaDeletion'
  | 'reserved'
  | 'wanted'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
  | 'updatedAt'
> {
  /** The template that was run without a task. `null`: none. */
  readonly templateId: string | null
  /** The values of the recipe's or the template's parameters. `null`: none. */
  readonly params: ParamValues | null
  /** The execution whose kept pages it reads instead of the web. `null`: none. */
  readonly extractOf: string | null
  /** The execution whose failed and blocked pages it starts from. `null`: none. */
  readonly failedOf: string | null
  /** The dataset that its rows are merged into. `null`: none. */
  readonly datasetId: string | null
  /** The scheduled time that it was started for. `null`: a caller started it. */
  readonly scheduledFor: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly updatedAt: string
  readonly counters: Counters
  /**
   * Fetched pages that were kept for a later `extract`, and pages beyond the limit that were not.
   * `null`: the recipe does not ask for it, or no page is settled yet.
   */
  readonly kept: KeptCounts | null
  /** Pages that a model has read, and the used tokens as reported by its endpoint. `null`: none. */
  readonly model: ModelCounts | null
  /** Column → rows with a value. */
  readonly filled: Readonly<Record<string, number>>
  /** Columns that are filled less than in the task's earlier executions. Known at the end. */
  readonly drift: readonly Drift[]
  /** Proposed sources for the drifted columns. `null`: no drift, or not known yet. */
  readonly relocation: Relocation | null
  /** When its rows were deleted. `null`: they were not. */
  readonly rowsDeletedAt: string | null
  /**
   * The deletion of the media that its rows name. `finishedAt` is `null` until it is done. `null`:
   * it was not requested.
   */
  readonly mediaDeletion: {
    readonly requestedAt: string
    readonly finishedAt: string | null
  } | null
  /** Reason code → failed or blocked pages. */
  readonly errors: Readonly<Record<string, number>>
  /**
   * Its cost so far, and its maximum cost, which is the number of credits that were reserved at its
   * start.
   */
  readonly cost: { readonly credits: number; readonly reserved: number }
}

/** Converts an execution from its records to the wire. */
export function executionOf(execution: ExecutionRecord, progress: ProgressRecord): Execution {
  const {
    id,
    taskId,
    templateId = null,
    params = null,
    status,
    reason,
    retryOf,
    extractOf = null,
    failedOf = null,
    datasetId = null,
    scheduledFor = null,
    drift = [],
    relocation,
    rowsDeletedAt = null,
    mediaDeletion,
    reserved = 0,
    createdAt,
    startedAt,
    finishedAt,
    updatedAt,
  } = execution
  const {
    discovered,
    visited,
    rows,
    bytes,
    filled,
    errors,
    credits,
    kept = null,
    model = null,
  } = progress
  return {
    id,
    taskId,
    templateId,
    params,
    status,
    reason,
    retryOf,
    extractOf,
    failedOf,
    datasetId,
    scheduledFor: isoTimeOrNull(scheduledFor),
    createdAt: isoTime(createdAt),
    startedAt: isoTimeOrNull(startedAt),
    finishedAt: isoTimeOrNull(finishedAt),
    updatedAt: isoTime(updatedAt),
    counters: {
      discovered,
      pending: pendingOf(progress),
      visited,
      fetched: 0,
      unchanged: 0,
      duplicate: 0,
      skipped_robots: 0,
      skipped_scope: 0,
      skipped_depth: 0,
      skipped_limit: 0,
      blocked: 0,
      failed: 0,
      ...progress.outcomes,
      rows,
      bytes,
    },
    kept,
    model,
    filled,
    drift,
    relocation: relocationOf(relocation),
    rowsDeletedAt: isoTimeOrNull(rowsDeletedAt),
    mediaDeletion: mediaDeletion
      ? {
          requestedAt: isoTime(mediaDeletion.requestedAt),
          finishedAt: isoTimeOrNull(mediaDeletion.finishedAt),
        }
      : null,
    errors,
    cost: { credits, reserved },
  }
}

const STATUSES: readonly ExecutionStatus[] = [
  'queued',
  'running',
  'paused',
  'succeeded',
  'failed',
  'cancelled',
  'timed_out',
]

/** The indexes by which the executions of a list are counted. */
export function countIn(
  taskId: string | undefined,
  status: ExecutionStatus | undefined,
): readonly IndexRange[] | undefined {
  if (taskId !== undefined)
    return status === undefined ? [{ index: 'task', within: [taskId] }] : undefined
  return (status === undefined ? STATUSES : [status]).map((state) => ({
    index: 'status',
    within: [state],
  }))
}
