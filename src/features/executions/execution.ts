import { pendingOf } from '../../records/progress.ts'
import type {
  Drift,
  ExecutionRecord,
  KeptCounts,
  ModelCounts,
  Outcome,
  ProgressRecord,
} from '../../records/types.ts'
import { isoTime, isoTimeOrNull } from '../iso-time.ts'

/**
 * What was counted of an execution so far. `pending`: known URLs without an outcome; `visited`:
 * URLs taken up.
 */
export type Counters = Readonly<
  Record<Outcome | 'discovered' | 'pending' | 'visited' | 'rows' | 'bytes', number>
>

/** An execution on the wire. */
export interface Execution extends Omit<
  ExecutionRecord,
  | 'recipe'
  | 'detected'
  | 'templateId'
  | 'extractOf'
  | 'datasetId'
  | 'partial'
  | 'scheduledFor'
  | 'drift'
  | 'reserved'
  | 'createdAt'
  | 'startedAt'
  | 'finishedAt'
  | 'updatedAt'
> {
  /** The template that was run without a task; `null`: none was. */
  readonly templateId: string | null
  /** The execution whose kept pages it reads instead of the web; `null`: none. */
  readonly extractOf: string | null
  /** The dataset that its rows are merged into; `null`: none. */
  readonly datasetId: string | null
  /** The time on its task's schedule that it was started for; `null`: it was asked for. */
  readonly scheduledFor: string | null
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly updatedAt: string
  readonly counters: Counters
  /**
   * Fetched pages that were kept for a later `extract`, and those beyond the limit that were not;
   * `null`: the recipe does not ask for it, or nothing was settled yet.
   */
  readonly kept: KeptCounts | null
  /**
   * Pages that a model has read, and the tokens that took, as its endpoint counts them; `null`:
   * none.
   */
  readonly model: ModelCounts | null
  /** Column → rows with a value. */
  readonly filled: Readonly<Record<string, number>>
  /** Columns that are filled less than in the task's earlier executions; known at the end. */
  readonly drift: readonly Drift[]
  /** Reason code → failed or blocked pages. */
  readonly errors: Readonly<Record<string, number>>
  /** What it has cost, and the most that it can cost: what was set aside when it began. */
  readonly cost: { readonly credits: number; readonly reserved: number }
}

/** What the wire shows of an execution. */
export function executionOf(execution: ExecutionRecord, progress: ProgressRecord): Execution {
  const {
    id,
    taskId,
    templateId = null,
    status,
    reason,
    retryOf,
    extractOf = null,
    datasetId = null,
    scheduledFor = null,
    drift = [],
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
    status,
    reason,
    retryOf,
    extractOf,
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
    errors,
    cost: { credits, reserved },
  }
}
