import type { Row } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import type { FoundLink } from '../../ports/page-processor.ts'
import { Collection } from '../../records/collection.ts'
import type { TakenMedia, WantedMedia } from '../media/records.ts'
import type { FrontierRecord, Outcome, Reason, StartList } from './records.ts'

/** That other processes may visit pages of an execution. */
export interface SharedRunRecord {
  readonly execution: string
  /** Nobody joins any more: the execution has ended. */
  readonly closed: boolean
}

/** That an execution wants helpers; one of the platform's own records, so that any process finds it. */
export interface HelpWantedRecord {
  readonly execution: string
  readonly account: string
}

/**
 * A helper of an execution. Only the helper replaces it, in each of its commits; whoever holds the
 * fence deletes it when its time is over.
 */
export interface MembershipRecord {
  readonly execution: string
  readonly hand: string
  /** Unix milliseconds until which it asks its hosts; 0: it has left. */
  readonly until: number
  /** Reports that it has written; the number of the next one. */
  readonly reports: number
  /** Grows with each write: tells a helper whether a commit whose answer was lost had happened. */
  readonly turn: number
}

/** What a helper is to do: visit a page, or fetch what one refers to. */
export type Assignment = { readonly entry: FrontierRecord } | { readonly media: WantedMedia }

/** A task that a helper was given. */
export interface AssignmentRecord {
  readonly execution: string
  readonly hand: string
  /** In the order of giving. */
  readonly number: number
  /** Of the task, in its execution. */
  readonly id: string
  readonly task: Assignment
  /** The helper does the tasks of a lane one after the other; `null`: as many as any process does. */
  readonly lane: number | null
}

/** What was made of a page, as a helper reports it. */
export interface ReportedPage {
  readonly outcome: Outcome
  readonly reason: Reason | null
  readonly httpStatus: number | null
  /** Final URL, where redirects led elsewhere. */
  readonly finalUrl: string | null
  readonly bytes: number
  readonly durationMs: number
  readonly rows: readonly Row[]
  readonly links: readonly FoundLink[]
  readonly filled: Readonly<Record<string, number>>
  readonly extracted: boolean
  /** Whether a browser rendered it. */
  readonly rendered: boolean
  /** Whether a model has read it; absent: it has not. */
  readonly modelled?: boolean
  /** What that took. */
  readonly tokens?: { readonly input: number; readonly output: number }
  /** Where its rows want one: the picture of it, kept where it was rendered. */
  readonly picture?: TakenMedia
}

/** What became of a task; `null`: the item could not be kept. */
export type Done = { readonly page: ReportedPage } | { readonly media: TakenMedia | null }

/** The end of an assignment, until the page is settled. */
export interface ReportRecord {
  readonly execution: string
  readonly hand: string
  readonly number: number
  /** Of the task. */
  readonly id: string
  readonly done: Done
  /** When its host may be asked again, Unix milliseconds. */
  readonly next: number
  /** The least time between requests to that host, in ms. */
  readonly spacing: number
}

/** Records of executions that several processes work on; there are none of one that has ended. */
export interface SharedRunRecords {
  readonly crews: Collection<SharedRunRecord>
  readonly calls: Collection<HelpWantedRecord>
  readonly hands: Collection<MembershipRecord>
  readonly errands: Collection<AssignmentRecord>
  readonly reports: Collection<ReportRecord>
}

/** Opens the records of executions that several processes work on. */
export function openSharedRunRecords(store: Store): SharedRunRecords {
  return {
    crews: new Collection<SharedRunRecord>(store, {
      name: 'crews',
      id: (crew) => [crew.execution],
    }),
    calls: new Collection<HelpWantedRecord>(store, {
      name: 'calls',
      id: (call) => [call.execution],
    }),
    hands: new Collection<MembershipRecord>(store, {
      name: 'hands',
      id: (hand) => [hand.execution, hand.hand],
    }),
    errands: new Collection<AssignmentRecord>(store, {
      name: 'errands',
      id: (errand) => [errand.execution, errand.hand, errand.number],
    }),
    reports: new Collection<ReportRecord>(store, {
      name: 'reports',
      id: (report) => [report.execution, report.hand, report.number],
    }),
  }
}

/** A host of an execution that was put down, as far as it may not be asked at any time. */
interface HostTurnRecord {
  readonly host: string
  readonly next: number
  readonly crawlDelayMs: number
  readonly backoffMs: number
}

/** What whoever takes an execution up again has to know of its hosts. */
interface HostTurnsRecord {
  readonly execution: string
  readonly hosts: readonly HostTurnRecord[]
}

/** How far the reading of a list of start pages has come that was put down. */
interface ListReadRecord {
  readonly execution: string
  readonly list: StartList
  /** Files that were read to their end. */
  readonly read: readonly string[]
  /** How long it was being read, in ms. */
  readonly spentMs: number
}

/** Records of executions that were put down; they end by themselves. */
export interface PutDownRecords {
  readonly hostTurns: Collection<HostTurnsRecord>
  readonly listReads: Collection<ListReadRecord>
}

/** Opens the records of executions that were put down. */
export function openPutDownRecords(store: Store): PutDownRecords {
  return {
    hostTurns: new Collection<HostTurnsRecord>(store, {
      name: 'host-turns',
      id: ({ execution }) => [execution],
    }),
    listReads: new Collection<ListReadRecord>(store, {
      name: 'list-reads',
      id: ({ execution, list }) => [execution, list],
    }),
  }
}

/**
 * What the search that an execution starts from has found. Written once: whoever works on the
 * execution goes by it.
 */
export interface FoundStartsRecord {
  readonly execution: string
  /** Who was asked. */
  readonly source: string
  /** Best first, each page once. */
  readonly urls: readonly string[]
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
