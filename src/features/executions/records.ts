import type { Json } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** Life of an execution; the last four are final. */
export type ExecutionStatus =
  | 'queued'
  | 'running'
  | 'paused'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'timed_out'

/** What became of one URL. */
export type Outcome =
  | 'fetched'
  | 'unchanged'
  | 'duplicate'
  | 'skipped_robots'
  | 'skipped_scope'
  | 'skipped_depth'
  | 'skipped_limit'
  | 'blocked'
  | 'failed'

/** Why an execution ended as it did, for people and for code. */
export interface Reason {
  readonly code: string
  readonly message: string
}

/** A column that is filled in fewer rows than in the task's earlier executions. Shares of rows, 0–1. */
export interface Drift {
  readonly field: string
  readonly usual: number
  readonly now: number
}

/** One run of a recipe. */
export interface ExecutionRecord {
  readonly id: string
  readonly taskId: string | null
  /** The template whose recipe this is; absent: none. */
  readonly templateId?: string
  readonly recipe: Json
  /**
   * The recipe with what was found out on the first page, where it leaves something to that;
   * absent: not yet, or nothing.
   */
  readonly detected?: Json
  readonly status: ExecutionStatus
  readonly reason: Reason | null
  /** The execution that this one tries again. */
  readonly retryOf: string | null
  /** The execution whose kept pages this one reads instead of the web; absent: none. */
  readonly extractOf?: string
  /** The dataset that it gives its rows to; absent: none. */
  readonly datasetId?: string | null
  /** It was started with URLs of its own, so that what it does not meet may still be there. */
  readonly partial?: boolean
  /** Credits set aside when it began: the most it can cost. */
  readonly reserved?: number
  /** The time on its task's schedule that it was started for; absent: it was asked for. */
  readonly scheduledFor?: number
  /** Columns that are filled less than they used to be; absent: none, or not known. */
  readonly drift?: readonly Drift[]
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly updatedAt: number
}

/** Counters of an execution, written only by the holder of its fence, in the commits they count. */
export interface ProgressRecord {
  readonly execution: string
  /** True once every start URL is in the frontier. */
  readonly seeded: boolean
  /**
   * Names the commit that wrote this: tells a worker whether a commit whose answer was lost had
   * happened.
   */
  readonly commit: string
  /** URLs known so far; the number of the next one. */
  readonly discovered: number
  /** URLs taken up: every outcome but `skipped_*`. */
  readonly visited: number
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>
  readonly rows: number
  readonly segments: number
  /** Commits that settled URLs: the index of the next one's `SettledRecord`. */
  readonly settled: number
  /** Body bytes after decoding. */
  readonly bytes: number
  readonly credits: number
  /** Column → rows with a value. */
  readonly filled: Readonly<Record<string, number>>
  /** Reason code → failed or blocked pages. */
  readonly errors: Readonly<Record<string, number>>
  /** First failure's text, to tell why a run failed. */
  readonly firstError: string | null
  /** Pages that the recipe extracts from. */
  readonly extracted: number
  /** Counters of the pages of each label; absent: nothing was found yet. */
  readonly labels?: Readonly<Record<string, LabelCounts>>
  /** Media items that were fetched, with their bytes; absent: none. */
  readonly media?: { readonly items: number; readonly bytes: number }
  /** Pages that a model has read, and what that took; absent: none. */
  readonly model?: ModelCounts
  /** Pages whose bytes were kept; absent: the recipe does not ask for it. */
  readonly kept?: KeptCounts
  /** Of rows, as they are stored; absent: none since they are counted. */
  readonly rowBytes?: number
  /** Bytes of rows, kept pages and media that the account's counter has; absent: none. */
  readonly countedBytes?: number
  /**
   * Bytes of pages that later executions may read, in blobs of their own; absent: the recipe does
   * not ask for it.
   */
  readonly cachedBytes?: number
}

/** What a model has done for an execution. */
export interface ModelCounts {
  readonly pages: number
  /** As its endpoint counts them. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** What was kept of an execution's pages. */
export interface KeptCounts {
  readonly pages: number
  /** As they are stored, compressed. */
  readonly bytes: number
  /** Fetched pages that were not kept, as there would have been too many bytes. */
  readonly omitted: number
}

/** Pages of one label. */
export interface LabelCounts {
  /** URLs known so far. */
  readonly found: number
  /** Of these, the ones that a pagination led to. */
  readonly next: number
  /** URLs that have their outcome. */
  readonly settled: number
  readonly fetched: number
  /** Pages that the recipe extracts from. */
  readonly extracted: number
  /** Without repeats. */
  readonly rows: number
}

/** A URL that waits to be visited. */
export interface FrontierRecord {
  readonly execution: string
  /** Order of discovery, from 0. */
  readonly seq: number
  readonly url: string
  readonly label: string
  readonly depth: number
  readonly hop: number
  /** The page on which its link was first found, where the recipe asks for it. */
  readonly foundOn?: string
  /** The list of start pages that named it; absent: it is a start URL, or a link. */
  readonly listedBy?: StartList
}

/** What names start pages besides the recipe itself. */
export type StartList = 'sitemap' | 'feed' | 'search'

/** The receipt of one URL. */
export interface VisitRecord {
  readonly execution: string
  readonly seq: number
  readonly url: string
  /** Where redirects led, if elsewhere. */
  readonly finalUrl: string | null
  readonly label: string
  readonly depth: number
  /** Absent: it is a start URL, or a link. */
  readonly listedBy?: StartList
  readonly outcome: Outcome
  /**
   * Code such as `timeout` or `http_404`, with a text; of a fetched page, what a model could not do
   * for it, else `null`.
   */
  readonly reason: Reason | null
  readonly httpStatus: number | null
  readonly rows: number
  readonly bytes: number
  readonly durationMs: number
  readonly credits: number
  readonly at: number
}

/** A URL or a unique row that this execution has met. */
export interface SeenRecord {
  readonly execution: string
  readonly identity: string
  /**
   * The commit that this key of a row was written ahead of, since it has very many: the key counts
   * once that commit is made. It leaves a record of its own name beside the keys.
   */
  readonly by?: string
}

/** Rows of one commit, in a blob: JSON lines of `[seq, row]`. */
export interface SegmentRecord {
  readonly execution: string
  /** From 0, without gaps. */
  readonly index: number
  readonly blob: string
  readonly rows: number
  /** Rows of all segments before this one. */
  readonly offset: number
}

/**
 * Who may write an execution's outcomes. Replaced only when the holder changes, so that its version
 * is the fence.
 */
export interface FenceRecord {
  readonly execution: string
  readonly holder: string
}

/** The holder's sign of life. */
export interface HeartbeatRecord {
  readonly execution: string
  readonly holder: string
  readonly until: number
}

/** How long the history of an execution can be read again by who lost the connection, in ms. */
export const HISTORY_MS = 86_400_000

/**
 * What one commit of a worker settled. Visits are kept in the order of discovery; this keeps the
 * order of settling.
 */
export interface SettledRecord {
  readonly execution: string
  /** From 0, without gaps; `settled` of the counters is the next one. */
  readonly index: number
  /** `updatedAt` of the move to `running` under which it was written. */
  readonly move: number
  /** Numbers of the visits. */
  readonly seqs: readonly number[]
}

/** A change of an execution's status. */
export interface MoveRecord {
  readonly execution: string
  /** `updatedAt` of the execution after it, which is greater after each move. */
  readonly at: number
  readonly status: ExecutionStatus
  readonly reason: Reason | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** Records of what happened to an execution, in its order; kept for {@link HISTORY_MS}. */
export interface LiveRecords {
  readonly settled: Collection<SettledRecord>
  readonly moves: Collection<MoveRecord>
}

/** Opens the records of what happened to executions. */
export function openLiveRecords(store: Store): LiveRecords {
  return {
    settled: new Collection<SettledRecord>(store, {
      name: 'settled',
      id: (record) => [record.execution, record.index],
    }),
    moves: new Collection<MoveRecord>(store, {
      name: 'moves',
      id: (move) => [move.execution, move.at],
    }),
  }
}

/** The counters of an execution that has done nothing yet; stored in the commit that creates it. */
export function emptyProgress(execution: string): ProgressRecord {
  return {
    execution,
    seeded: false,
    commit: '',
    discovered: 0,
    visited: 0,
    outcomes: {},
    rows: 0,
    segments: 0,
    settled: 0,
    bytes: 0,
    credits: 0,
    filled: {},
    errors: {},
    firstError: null,
    extracted: 0,
  }
}

/** URLs that have no outcome yet. */
export function pendingOf(progress: ProgressRecord): number {
  let settled = 0
  for (const count of Object.values(progress.outcomes)) settled += count
  return progress.discovered - settled
}

/** True for outcomes of URLs that were taken up, whatever came of it. */
export function isVisited(outcome: Outcome): boolean {
  return !outcome.startsWith('skipped_')
}

/** Where the blobs with an execution's rows are: every name begins with it. */
export function rowsFolder(execution: string): string {
  return `rows/${execution}/`
}

/**
 * The recipe that an execution's rows are of: with what was found out on its first page, where it
 * leaves something to that.
 */
export function recipeOf({ recipe, detected }: ExecutionRecord): Json {
  return detected ?? recipe
}
