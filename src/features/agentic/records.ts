import type { ErrorCode } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** One call of an agent's tool. Times are Unix milliseconds. */
export interface AgenticExecutionRecord {
  readonly id: string
  readonly tool: string
  readonly arguments: Json
  /** The tool's result. `null`: it is read from the execution at each request. */
  readonly result: Json
  readonly execution: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** The record of a call of a tool: its caller and its outcome. Times are Unix milliseconds. */
export interface AgenticCallRecord {
  readonly id: string
  readonly at: number
  readonly tool: string
  readonly user: string
  /** Id of the API key. `null`: the caller used another credential. */
  readonly key: string | null
  readonly execution: string | null
  /** Code of the refusal. `null`: the call was answered. */
  readonly code: ErrorCode | null
  /** Price of the page that it fetched. The cost of a run is in its execution. */
  readonly credits: number
}

/** A page that an agent has read: its search entry, and the size of its stored text. */
export interface ReadPageRecord {
  readonly id: string
  readonly url: string
  readonly title: string
  /** When it was read. Its search entry has the same time in `at`. */
  readonly at: number
  readonly metadata: { readonly [name: string]: Json }
  readonly pieces: number
}

/** A part of a page's text, small enough for one response. */
export interface PagePieceRecord {
  readonly page: string
  readonly index: number
  readonly text: string
}

/**
 * The search entry of a page, in order of time. `source` is the page that an agent has read, or the
 * execution that has fetched it.
 */
export interface FoundByRecord {
  readonly at: number
  readonly source: string
  /** For an execution: the page's number in its receipt. Else 0. */
  readonly seq: number
  /** The id that `fetch` accepts for it. */
  readonly id: string
  readonly url: string
  readonly title: string
  /** Words of title, address and text, each with its number of occurrences: ` ink:3 nib:1 `. */
  readonly head: string
  readonly address: string
  readonly body: string
  /** Number of words of the text. */
  readonly length: number
  /** Number of stored characters of the page, in this record and elsewhere. */
  readonly size: number
}

/** The start of an indexed page's text, for quotes. */
export interface ExcerptRecord {
  readonly at: number
  readonly source: string
  readonly seq: number
  readonly text: string
}

/** An execution whose pages are in the search index, or are about to be. */
export interface IndexedRunRecord {
  readonly execution: string
  /** `at` of its pages. */
  readonly at: number
  readonly complete: boolean
}

/**
 * Records of agents' activity. Records of pages that agents have read expire; records of executions
 * are deleted with them.
 */
export interface AgenticRecords {
  readonly agenticExecutions: Collection<AgenticExecutionRecord>
  readonly agenticCalls: Collection<AgenticCallRecord>
  readonly readPages: Collection<ReadPageRecord>
  readonly pagePieces: Collection<PagePieceRecord>
  readonly foundBy: Collection<FoundByRecord>
  readonly excerpts: Collection<ExcerptRecord>
  readonly indexedRuns: Collection<IndexedRunRecord>
}

/** Opens the records of agents' activity. */
export function openAgenticRecords(store: Store): AgenticRecords {
  return {
    agenticExecutions: new Collection<AgenticExecutionRecord>(store, {
      name: 'agentic-executions',
      id: ({ id }) => [id],
    }),
    agenticCalls: new Collection<AgenticCallRecord>(store, {
      name: 'agentic-calls',
      id: ({ id }) => [id],
    }),
    readPages: new Collection<ReadPageRecord>(store, { name: 'read-pages', id: ({ id }) => [id] }),
    pagePieces: new Collection<PagePieceRecord>(store, {
      name: 'page-pieces',
      id: ({ page, index }) => [page, index],
    }),
    foundBy: new Collection<FoundByRecord>(store, { name: 'found-by', id: textKey }),
    excerpts: new Collection<ExcerptRecord>(store, { name: 'excerpts', id: textKey }),
    indexedRuns: new Collection<IndexedRunRecord>(store, {
      name: 'indexed-runs',
      id: ({ execution }) => [execution],
    }),
  }
}

const textKey = ({
  at,
  source,
  seq,
}: {
  readonly at: number
  readonly source: string
  readonly seq: number
}) => [at, source, seq] as const
