import { pendingOf } from './records.ts'
import type {
  Drift,
  ExecutionRecord,
  KeptCounts,
  ModelCounts,
  Outcome,
  ProgressRecord,
  FrontierRecord,
  StartList,
  VisitRecord,
} from './records.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { paginate } from '../../records/paginate.ts'
import type { Paginated, Placed } from '../../records/paginate.ts'
import type { Records } from '../records.ts'

/**
 * What was counted of an execution so far. `pending`: known URLs without an outcome; `visited`:
 * URLs taken up.
 */
type Counters = Readonly<
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

/** What can be asked of the receipt: an outcome, or `pending` for URLs that have none yet. */
export type PageOutcome = Outcome | 'pending'

/** One URL of an execution, what became of it and what it cost. */
export interface PageReceipt extends Omit<
  VisitRecord,
  'execution' | 'seq' | 'outcome' | 'at' | 'listedBy'
> {
  readonly outcome: PageOutcome
  /** The list of start pages that named it; `null`: it is a start URL, or a link. */
  readonly listedBy: StartList | null
  /** When the outcome was known. */
  readonly at: string | null
}

type Line = VisitRecord | FrontierRecord

/** A page of the receipt: visited and waiting URLs together, in the order of their discovery. */
export async function readReceipt(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<PageReceipt>> {
  const keep =
    outcome === undefined || outcome === 'pending'
      ? null
      : (line: Line) => 'outcome' in line && line.outcome === outcome
  const page = await paginate<Line>({
    read: readLines(records, account, execution, outcome),
    after,
    limit,
    ...(keep && { keep }),
  })
  return { items: page.items.map(receiptOf), next: page.next }
}

function readLines(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
) {
  return async (after: readonly KeyPart[] | null, count: number): Promise<Placed<Line>[]> => {
    const slice = {
      within: [execution],
      limit: count,
      ...(after && { after: [execution, ...after] }),
    }
    // Waiting URLs first: one that is settled between the two reads is then seen twice, and never
    // missed.
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

/** What the wire shows of a URL. */
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
