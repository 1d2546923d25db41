import type { Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import type { FoundLink, SourceRun } from '../../ports/page-processor.ts'
import { Collection } from '../../records/collection.ts'
import type { TakenMedia, WantedMedia } from '../media/records.ts'
import type { FrontierRecord, Outcome, Reason, StartList } from './records.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { VisitTrail } from '../../engine/visit/visit-trail.ts'

/** Marks an execution whose pages other processes may visit. */
export interface SharedRunRecord {
  readonly execution: string
  /** True once the execution has ended: no helper may join any more. */
  readonly closed: boolean
  /**
   * Set by a holder that reads helpers' pages from blobs. Absent: the holder has an earlier
   * version, which would drop reports of such pages.
   */
  readonly readers?: string
}

/**
 * A request for helpers of an execution. It is one of the platform's own records, so that any
 * process finds it.
 */
export interface HelpWantedRecord {
  readonly execution: string
  readonly account: string
}

/**
 * A helper of an execution. Only the helper replaces it, in each of its commits. The holder of the
 * fence deletes it when its time is over.
 */
export interface MembershipRecord {
  readonly execution: string
  /** The id of the membership. Stored records use this older name. */
  readonly hand: string
  /** Unix milliseconds until which the helper may send requests to its hosts. 0: it has left. */
  readonly until: number
  /** Number of reports it has written, and the number of the next one. */
  readonly reports: number
  /**
   * Grows with each write. Its name is that of stored records. A helper that lost the answer to a
   * commit reads here whether the commit succeeded.
   */
  readonly turn: number
}

/** The work of a helper: visit a page, or fetch media that a page refers to. */
export type Assignment = { readonly entry: FrontierRecord } | { readonly media: WantedMedia }

/** An assignment that was given to a helper. */
export interface AssignmentRecord {
  readonly execution: string
  readonly hand: string
  /** Number in the order of assignment. */
  readonly number: number
  /** Id of the assignment, unique in its execution. */
  readonly id: string
  /** The assignment, under the name in stored records. */
  readonly task: Assignment
  /**
   * The concurrency token, under the name in stored records. A helper does the assignments of one
   * token one after the other. `null`: the usual concurrency applies.
   */
  readonly lane: number | null
}

/** The result of a page, as a helper reports it. */
export interface ReportedPage {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly httpStatus: number | null
  /** The final URL, if redirects led elsewhere. */
  readonly finalUrl: string | null
  readonly bytes: number
  readonly durationMs: number
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  readonly filled: Readonly<Record<string, number>>
  readonly extracted: boolean
  /** When it was requested, in Unix milliseconds. `null` and absent: not known. */
  readonly fetchedAt?: number | null
  /**
   * `bodyDigest` of the body that its rows were read from. Absent: it has no rows, or they come
   * from no body.
   */
  readonly digest?: string
  /** The sources that gave the values of `rows`. Absent: not known. */
  readonly sources?: readonly SourceRun[]
  /** True if a browser rendered it. */
  readonly rendered: boolean
  /** True if a model has read it. Absent: it has not. */
  readonly modelled?: boolean
  /** Tokens that the model used. */
  readonly tokens?: { readonly input: number; readonly output: number }
  /** The screenshot, if rows have a place for it. It is stored where the page was rendered. */
  readonly picture?: TakenMedia
  /** Absent: it was not requested. */
  readonly trail?: VisitTrail
}

/** A page whose large parts are left out. */
export type PageHead = Omit<ReportedPage, 'rows' | 'links' | 'sources'>

/** A page that is too large for a record. Its large parts are in a blob. */
export interface LargePage {
  readonly blob: string
  /** The length of the blob. */
  readonly bytes: number
  readonly head: PageHead
}

/** The result of an assignment. `media: null`: the item could not be kept. */
export type Done =
  | { readonly page: ReportedPage }
  | LargePage
  | { readonly media: TakenMedia | null }

/** The result of an assignment, kept until the page is settled. */
export interface ReportRecord {
  readonly execution: string
  readonly hand: string
  readonly number: number
  /** Id of the assignment, or the result of `reportId` for it. */
  readonly id: string
  readonly done: Done
  /** Unix milliseconds when its host may be requested again. */
  readonly next: number
  /** The least time between requests to that host, in ms. */
  readonly spacing: number
}

/**
 * Records of executions that several processes work on. An execution that has ended has no such
 * records.
 */
export interface SharedRunRecords {
  readonly sharedRuns: Collection<SharedRunRecord>
  readonly calls: Collection<HelpWantedRecord>
  readonly memberships: Collection<MembershipRecord>
  readonly assignments: Collection<AssignmentRecord>
  readonly reports: Collection<ReportRecord>
}

/** Opens the records of executions that several processes work on. */
export function openSharedRunRecords(store: Store): SharedRunRecords {
  return {
    sharedRuns: new Collection<SharedRunRecord>(store, {
      name: 'crews',
      id: ({ execution }) => [execution],
    }),
    calls: new Collection<HelpWantedRecord>(store, {
      name: 'calls',
      id: (call) => [call.execution],
      owner: ({ account }) => account,
    }),
    memberships: new Collection<MembershipRecord>(store, {
      name: 'hands',
      id: ({ execution, hand }) => [execution, hand],
    }),
    assignments: new Collection<AssignmentRecord>(store, {
      name: 'errands',
      id: ({ execution, hand, number }) => [execution, hand, number],
    }),
    reports: new Collection<ReportRecord>(store, {
      name: 'reports',
      id: ({ execution, hand, number }) => [execution, hand, number],
    }),
  }
}

/**
 * The time of the next request to a host of a suspended execution. Only hosts that must wait have
 * such a record.
 */
interface HostTimingRecord {
  readonly host: string
  readonly next: number
  readonly crawlDelayMs: number
  readonly backoffMs: number
}

/** State of the hosts, for the worker that resumes the execution. */
interface HostTimingsRecord {
  readonly execution: string
  readonly hosts: readonly HostTimingRecord[]
}

/** Progress of reading a list of start pages, of a suspended execution. */
interface ListReadRecord {
  readonly execution: string
  readonly list: StartList
  /** Files that were read to the end. */
  readonly read: readonly string[]
  /** Time that was spent on reading it so far, in ms. */
  readonly spentMs: number
}

/** The position of a suspended execution in the receipt whose failed pages it visits. */
interface ReceiptReadRecord {
  readonly execution: string
  /** Number of the last page that was read. */
  readonly seq: number
}

/** Records of suspended executions. They expire. */
export interface SuspendedRunRecords {
  readonly hostTimings: Collection<HostTimingsRecord>
  readonly listReads: Collection<ListReadRecord>
  readonly receiptReads: Collection<ReceiptReadRecord>
}

/** Opens the records of suspended executions. */
export function openSuspendedRunRecords(store: Store): SuspendedRunRecords {
  return {
    hostTimings: new Collection<HostTimingsRecord>(store, {
      // The name in stored keys.
      name: 'host-turns',
      id: ({ execution }) => [execution],
    }),
    listReads: new Collection<ListReadRecord>(store, {
      name: 'list-reads',
      id: ({ execution, list }) => [execution, list],
    }),
    receiptReads: new Collection<ReceiptReadRecord>(store, {
      name: 'receipt-reads',
      id: ({ execution }) => [execution],
    }),
  }
}

/**
 * The results of the search that an execution starts from. Written once, so that every worker of
 * the execution uses the same results.
 */
export interface FoundStartsRecord {
  readonly execution: string
  /** The search service that was asked. */
  readonly source: string
  /** Best first, each page once. */
  readonly urls: readonly NormalUrl[]
  readonly at: number
}

/** Records of the searches that executions start from. */
export interface FoundStartRecords {
  readonly foundStarts: Collection<FoundStartsRecord>
}

/** Opens the records of the searches that executions start from. */
export function openFoundStartRecords(store: Store): FoundStartRecords {
  return {
    foundStarts: new Collection<FoundStartsRecord>(store, {
      name: 'found-starts',
      id: ({ execution }) => [execution],
    }),
  }
}
