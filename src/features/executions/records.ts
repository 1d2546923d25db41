import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { RelocationRecord } from './relocation.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import type { Telemetry } from '../../ports/telemetry.ts'
import { Collection } from '../../records/collection.ts'
import type { CollectionSpec } from '../../records/collection.ts'
import { CountedExecutions } from './counted-records.ts'
import { DAY_MS } from '../../kernel/time.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { VisitTrail } from '../../engine/visit/visit-trail.ts'

export type { FieldRelocation, RelocationRecord } from './relocation.ts'

/** State of an execution. The last four are final. */
export type ExecutionStatus =
  | 'queued'
  | 'running'
  | 'paused'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'timed_out'

/** The outcome of one URL. */
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

/** Why an execution ended: a code for programs and a text for people. */
export interface Reason {
  readonly code: string
  readonly message: string
}

/**
 * A column that is filled in fewer rows than in the task's earlier executions. Shares are of rows,
 * 0–1.
 */
export interface Drift {
  readonly field: string
  readonly usual: number
  readonly now: number
}

/** The caller of a request. */
export interface Caller {
  readonly user: string
  /** Id of the API key. `null`: the caller used another credential. */
  readonly key: string | null
}

/** One run of a recipe. */
export interface ExecutionRecord {
  readonly id: string
  readonly taskId: string | null
  /** The template that the recipe comes from. Absent: none. */
  readonly templateId?: string
  /** The recipe that it runs, with its parameters filled. */
  readonly recipe: Json
  /** The values of the recipe's or the template's parameters. Absent: none. */
  readonly params?: ParamValues
  /**
   * The recipe with the parts that were detected on the first page, if it leaves some open. Absent:
   * nothing was detected, or not yet.
   */
  readonly detected?: Json
  readonly status: ExecutionStatus
  readonly reason: Reason | null
  /** The execution that this one retries. */
  readonly retryOf: string | null
  /** The execution whose kept pages this one reads instead of the web. Absent: none. */
  readonly extractOf?: string
  /** The execution whose failed and blocked pages this one starts from. Absent: none. */
  readonly failedOf?: string
  /** The dataset that its rows are merged into. Absent: none. */
  readonly datasetId?: string | null
  /**
   * True if it was started with other URLs than its task's. An item that such a run does not find
   * may still exist.
   */
  readonly partial?: boolean
  /**
   * The caller who started it, or who set its schedule. Absent: an earlier version has stored the
   * execution or the schedule.
   */
  readonly startedBy?: Caller
  /** Credits reserved when it began, which are its maximum cost. */
  readonly reserved?: number
  /** Maximum cost of its recipe. Absent: the same as `reserved`, or stored by an earlier version. */
  readonly wanted?: number
  /** The scheduled time that it was started for. Absent: a caller started it. */
  readonly scheduledFor?: number
  /** Columns that are filled less than in earlier executions. Absent: none, or not known. */
  readonly drift?: readonly Drift[]
  /** Proposed sources for the drifted columns. Absent: not known yet, or no drift. */
  readonly relocation?: RelocationRecord
  /**
   * When its rows were deleted, but not the execution. Its counters still have their number.
   * Absent: never.
   */
  readonly rowsDeletedAt?: number
  /**
   * True if a worker was replaced or stopped before the end. A blob that it was writing may appear
   * after the end. Absent: no such worker is known.
   */
  readonly interrupted?: boolean
  /** The deletion of the media that its rows name. Absent: it was not requested. */
  readonly mediaDeletion?: {
    readonly requestedAt: number
    /** `null`: a job is still deleting them. */
    readonly finishedAt: number | null
  }
  readonly createdAt: number
  readonly startedAt: number | null
  readonly finishedAt: number | null
  readonly updatedAt: number
}

/**
 * Counters of an execution. Only the holder of its fence writes them, in the commits that they
 * count.
 */
export interface ProgressRecord {
  readonly execution: string
  /** True once every start URL is in the frontier. */
  readonly seeded: boolean
  /**
   * Names the commit that wrote this record. A worker that lost the answer to a commit reads here
   * whether the commit succeeded.
   */
  readonly commit: string
  /** Number of URLs known so far, which is also the number of the next one. */
  readonly discovered: number
  /** URLs that were visited: every outcome except `skipped_*`. */
  readonly visited: number
  readonly outcomes: Readonly<Partial<Record<Outcome, number>>>
  readonly rows: number
  readonly segments: number
  /** Number of commits that settled URLs, and the index of the next one's `SettledRecord`. */
  readonly settled: number
  /** Body bytes after decoding. */
  readonly bytes: number
  readonly credits: number
  /** Column → rows with a value. */
  readonly filled: Readonly<Record<string, number>>
  /** Reason code → failed or blocked pages. */
  readonly errors: Readonly<Record<string, number>>
  /** Text of the first failure, which explains why a run failed. */
  readonly firstError: string | null
  /** Pages that the recipe extracts from. */
  readonly extracted: number
  /** Counters of the pages of each label. Absent: no pages were found yet. */
  readonly labels?: Readonly<Record<string, LabelCounts>>
  /** Media items that were fetched, and their bytes. Absent: none. */
  readonly media?: { readonly items: number; readonly bytes: number }
  /** Pages that a model has read, and the tokens it used. Absent: none. */
  readonly model?: ModelCounts
  /** Pages whose bytes were kept. Absent: the recipe does not ask for it. */
  readonly kept?: KeptCounts
  /** Bytes of rows as stored, since the version that counts them. Absent: none. */
  readonly rowBytes?: number
  /** Bytes of the facts about its visits, and about how failed pages were found. Absent: none. */
  readonly visitBytes?: number
  /** Bytes that its rows will add to a dataset when they are merged. Absent: none. */
  readonly mergeBytes?: number
  /**
   * Bytes of all of these and of kept pages that the account's counter already includes. Absent:
   * none.
   */
  readonly countedStored?: number
  /**
   * Bytes of pages that later executions may read, in separate blobs. Absent: the recipe does not
   * ask for it.
   */
  readonly cachedBytes?: number
}

/** The work of a model for an execution. */
export interface ModelCounts {
  readonly pages: number
  /** Counted by the model's endpoint. */
  readonly inputTokens: number
  readonly outputTokens: number
}

/** The kept pages of an execution. */
export interface KeptCounts {
  readonly pages: number
  /** Stored bytes, compressed. */
  readonly bytes: number
  /** Fetched pages that were not kept because of the limit on bytes. */
  readonly omitted: number
}

/** Counters of the pages of one label. */
export interface LabelCounts {
  /** URLs known so far. */
  readonly found: number
  /** Number of pages among `found` that were found by pagination. */
  readonly next: number
  /** URLs that have their outcome. */
  readonly settled: number
  readonly fetched: number
  /** Pages that the recipe extracts from. */
  readonly extracted: number
  /** Rows, without repeats. */
  readonly rows: number
}

/** A URL that waits to be visited. */
export interface FrontierRecord {
  readonly execution: string
  /** Order of discovery, from 0. */
  readonly seq: number
  readonly url: NormalUrl
  readonly label: string
  readonly depth: number
  readonly hop: number
  /** The page on which its link was first found, if the recipe asks for it. */
  readonly foundOn?: string
  /** Values that were carried along with its link. Absent: none. */
  readonly carried?: Row
  /** The list of start pages that named it. Absent: it is a start URL or a link. */
  readonly listedBy?: StartList
}

/** A list of start pages outside the recipe. */
export type StartList = 'sitemap' | 'feed' | 'search'

/** The receipt of one URL. */
export interface VisitRecord {
  readonly execution: string
  readonly seq: number
  readonly url: string
  /** The final URL after redirects, if it differs. */
  readonly finalUrl: string | null
  readonly label: string
  readonly depth: number
  /** Absent: it is a start URL or a link. */
  readonly listedBy?: StartList
  readonly outcome: Outcome
  /**
   * A code such as `timeout` or `http_404`, with a text. For a fetched page: the reason why a model
   * could not read it, else `null`.
   */
  readonly reason: Reason | null
  readonly httpStatus: number | null
  readonly rows: number
  readonly bytes: number
  readonly durationMs: number
  readonly credits: number
  readonly at: number
  /** Absent: it was not requested, or an earlier version has stored it. */
  readonly trail?: VisitTrail
  /** For a failed or blocked page: how it was found. Absent: an earlier version has stored it. */
  readonly found?: FoundAs
}

/** The facts that are needed to visit a page again, beside its URL, its label and its depth. */
export type FoundAs = Pick<FrontierRecord, 'hop' | 'foundOn' | 'carried'>

/** Marks a URL or a unique row that this execution has already seen. */
export interface SeenRecord {
  readonly execution: string
  readonly identity: string
  /**
   * For a key of a row that was written before the commit of its page, because that commit has very
   * many keys: the name of that commit. The commit writes a record with this name; the key is valid
   * if the record exists.
   */
  readonly by?: string
}

/**
 * The rows of one commit. They are in a blob, as JSON lines of `[seq, row]`. The provenance of the
 * rows follows them; see `encodeProvenance`.
 */
export interface SegmentRecord {
  readonly execution: string
  /** From 0, without gaps. */
  readonly index: number
  readonly blob: string
  readonly rows: number
  /** Rows of all segments before this one. */
  readonly offset: number
  /**
   * Number of bytes at the end of the blob that contain the provenance of its rows. Absent: it has
   * none.
   */
  readonly provenance?: number
}

/**
 * The fence: names the worker that may write an execution's outcomes. It is replaced only when the
 * holder changes, so its version is the fence.
 */
export interface FenceRecord {
  readonly execution: string
  readonly holder: string
}

/** Heartbeat of the fence's holder. */
export interface HeartbeatRecord {
  readonly execution: string
  readonly holder: string
  readonly until: number
}

/** Time in ms for which an execution's history is kept for clients that have lost their connection. */
export const HISTORY_MS = DAY_MS

/**
 * The URLs that one commit of a worker settled. Visits are stored in order of discovery; this
 * record keeps the order of settling.
 */
export interface SettledRecord {
  readonly execution: string
  /** From 0, without gaps; `settled` of the counters is the next one. */
  readonly index: number
  /** `updatedAt` of the move to `running` under which this was written. */
  readonly move: number
  /** Numbers of the visits. */
  readonly seqs: readonly number[]
}

/** A change of an execution's status. */
export interface MoveRecord {
  readonly execution: string
  /** `updatedAt` of the execution after the move. It grows with each move. */
  readonly at: number
  readonly status: ExecutionStatus
  readonly reason: Reason | null
  readonly startedAt: number | null
  readonly finishedAt: number | null
}

/** Records of an execution's history, in order. Kept for {@link HISTORY_MS}. */
export interface LiveRecords {
  readonly settled: Collection<SettledRecord>
  readonly moves: Collection<MoveRecord>
}

/** Opens the records of executions' histories. */
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

/** Records of executions, of their frontier and of the results of their pages. */
export interface ExecutionRecords {
  readonly executions: Collection<ExecutionRecord>
  readonly progress: Collection<ProgressRecord>
  readonly frontier: Collection<FrontierRecord>
  readonly visits: Collection<VisitRecord>
  readonly seenUrls: Collection<SeenRecord>
  readonly seenRows: Collection<SeenRecord>
  readonly segments: Collection<SegmentRecord>
  readonly fences: Collection<FenceRecord>
  readonly heartbeats: Collection<HeartbeatRecord>
}

const EXECUTIONS: CollectionSpec<ExecutionRecord> = {
  name: 'executions',
  id: (execution) => [execution.id],
  indexes: {
    task: (execution) => (execution.taskId === null ? [] : [[execution.taskId]]),
    status: (execution) => [[execution.status]],
  },
}

/** Opens the records of executions. With telemetry their moves are counted. */
export function openExecutionRecords(
  store: Store,
  telemetry: Telemetry | null = null,
): ExecutionRecords {
  const seenId = (seen: SeenRecord) => [seen.execution, seen.identity]
  return {
    executions: telemetry
      ? new CountedExecutions<ExecutionRecord>(store, EXECUTIONS, telemetry)
      : new Collection<ExecutionRecord>(store, EXECUTIONS),
    progress: new Collection<ProgressRecord>(store, {
      name: 'progress',
      id: (progress) => [progress.execution],
    }),
    frontier: new Collection<FrontierRecord>(store, {
      name: 'frontier',
      id: (entry) => [entry.execution, entry.seq],
    }),
    visits: new Collection<VisitRecord>(store, {
      name: 'visits',
      id: (visit) => [visit.execution, visit.seq],
    }),
    seenUrls: new Collection<SeenRecord>(store, { name: 'seen-urls', id: seenId }),
    seenRows: new Collection<SeenRecord>(store, { name: 'seen-rows', id: seenId }),
    segments: new Collection<SegmentRecord>(store, {
      name: 'segments',
      id: (segment) => [segment.execution, segment.index],
      blobs: ({ blob }) => [blob],
    }),
    fences: new Collection<FenceRecord>(store, {
      name: 'fences',
      id: (fence) => [fence.execution],
    }),
    heartbeats: new Collection<HeartbeatRecord>(store, {
      name: 'heartbeats',
      id: (heartbeat) => [heartbeat.execution],
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

/** True for outcomes of pages that may be visited again. */
export function isFailed(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'blocked'
}

/** True for outcomes of URLs that were visited, with any result. */
export function isVisited(outcome: Outcome): boolean {
  return !outcome.startsWith('skipped_')
}

/** The part of a segment's blob that contains rows. */
export function rowsPart({ provenance = 0 }: SegmentRecord, bytes: Uint8Array): Uint8Array {
  return bytes.subarray(0, bytes.length - provenance)
}

/** Folder of the blobs with an execution's rows: the prefix of their names. */
export function rowsFolder(execution: string): string {
  return `rows/${execution}/`
}

/**
 * The recipe that produced an execution's rows. It includes the parts that were detected on the
 * first page, if the recipe leaves some open.
 */
export function recipeOf({ recipe, detected }: ExecutionRecord): Json {
  return detected ?? recipe
}
