import { pendingOf } from './records.ts'
import type {
  Drift,
  ExecutionRecord,
  KeptCounts,
  ModelCounts,
  Outcome,
  ExecutionStatus,
  ProgressRecord,
  FrontierRecord,
  StartList,
  VisitRecord,
} from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { paginate } from '../../records/paginate.ts'
import { relocationOf } from './relocation.ts'
import type { Relocation } from './relocation.ts'
import type { Paginated, PositionedItem } from '../../records/paginate.ts'
import type { IndexRange } from '../common/timed-records.ts'
import type { Records } from '../records.ts'

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
  /** Pages that a model has read, and the tokens it used as its endpoint counts them. `null`: none. */
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
   * The deletion of the media that its rows name: `finishedAt` is `null` while it is under way.
   * `null`: nobody has asked for it.
   */
  readonly mediaDeletion: {
    readonly requestedAt: string
    readonly finishedAt: string | null
  } | null
  /** Reason code → failed or blocked pages. */
  readonly errors: Readonly<Record<string, number>>
  /** Its cost so far, and its maximum cost: the credits that were reserved when it began. */
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

/** A filter of the receipt: an outcome, or `pending` for URLs that have no outcome yet. */
export type PageOutcome = Outcome | 'pending'

/** Filters of the receipt. All conditions must hold. */
export interface PageFilter {
  readonly outcome?: PageOutcome
  /** Code of a reason, such as `http_404`. */
  readonly reason?: string
  /** The host of the URL, without its port. */
  readonly host?: string
}

/** One URL of an execution, with its outcome and its cost. */
export interface PageReceipt extends Omit<
  VisitRecord,
  'execution' | 'seq' | 'outcome' | 'at' | 'listedBy'
> {
  readonly outcome: PageOutcome
  /** The list of start pages that named it. `null`: it is a start URL or a link. */
  readonly listedBy: StartList | null
  /** When the outcome was decided. */
  readonly at: string | null
}

type Line = VisitRecord | FrontierRecord

/** Reads one list page of the receipt: visited and waiting URLs together, in order of discovery. */
export async function readReceipt(
  records: Records,
  account: string,
  execution: string,
  { outcome, reason, host }: PageFilter,
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<PageReceipt>> {
  // Those that wait are read on their own.
  const reached = outcome === 'pending' ? undefined : outcome
  const isPart = (reached ?? reason ?? host) !== undefined
  const keep = (line: Line) =>
    (reached === undefined || ('outcome' in line && line.outcome === reached)) &&
    (reason === undefined || ('outcome' in line && line.reason?.code === reason)) &&
    (host === undefined || new URL(line.url).hostname === host)
  const page = await paginate<Line>({
    read: readLines(records, account, execution, outcome),
    after,
    limit,
    ...(isPart && { keep }),
  })
  return { items: page.items.map(receiptOf), next: page.next }
}

function readLines(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
) {
  return async (
    after: readonly KeyPart[] | null,
    count: number,
  ): Promise<PositionedItem<Line>[]> => {
    const slice = {
      within: [execution],
      limit: count,
      ...(after && { after: [execution, ...after] }),
    }
    // Waiting URLs are read first: a URL that is settled between the two reads is then read twice
    // and never missed.
    const waiting =
      outcome === undefined || outcome === 'pending'
        ? await records.frontier.list(account, slice)
        : []
    const settled = outcome === 'pending' ? [] : await records.visits.list(account, slice)
    const lines = new Map<number, Line>()
    for (const { value } of waiting) lines.set(value.seq, value)
    for (const { value } of settled) lines.set(value.seq, value)
    return [...lines.values()]
      .toSorted((a, b) => a.seq - b.seq)
      .slice(0, count)
      .map((item) => ({ item, position: [item.seq] }))
  }
}

/** Converts a receipt line to the wire. */
export function receiptOf(line: Line): PageReceipt {
  const { url, label, depth, listedBy = null } = line
  if (!('outcome' in line))
    return {
      url,
      finalUrl: null,
      label,
      depth,
      listedBy,
      outcome: 'pending',
      reason: null,
      httpStatus: null,
      rows: 0,
      bytes: 0,
      durationMs: 0,
      credits: 0,
      at: null,
    }
  const { finalUrl, outcome, reason, httpStatus, rows, bytes, durationMs, credits, at } = line
  return {
    url,
    finalUrl,
    label,
    depth,
    listedBy,
    outcome,
    reason,
    httpStatus,
    rows,
    bytes,
    durationMs,
    credits,
    at: isoTime(at),
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

/** The indexes that tell how many executions a list has. */
export function countIn(
  taskId: string | undefined,
  status: ExecutionStatus | undefined,
): readonly IndexRange[] | undefined {
  if (taskId !== undefined)
    return status === undefined ? [{ index: 'task', within: [taskId] }] : undefined
  return (status === undefined ? STATUSES : [status]).map((one) => ({
    index: 'status',
    within: [one],
  }))
}
