import type { Json } from '../../kernel/json.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** One call of an agent's tool. Times: Unix milliseconds. */
export interface AgenticExecutionRecord {
  readonly id: string
  readonly tool: string
  readonly arguments: Json
  /** What the tool answered; `null` where it is read from the execution whenever it is asked for. */
  readonly result: Json
  readonly execution: string | null
  readonly createdAt: number
  readonly expiresAt: number
}

/** A page that an agent has read: what it is found by, and how much of its text is kept. */
export interface ReadPageRecord {
  readonly id: string
  readonly url: string
  readonly title: string
  /** When it was read; also `at` of what it is found by. */
  readonly at: number
  readonly metadata: { readonly [name: string]: Json }
  readonly pieces: number
}

/** A part of the text of a page, small enough for one answer. */
export interface PagePieceRecord {
  readonly page: string
  readonly index: number
  readonly text: string
}

/**
 * What a page is found by, in the order of time. `source` is the page that an agent has read, or
 * the execution that has fetched it.
 */
export interface FoundByRecord {
  readonly at: number
  readonly source: string
  /** Of an execution: the page's number in its receipt. Else 0. */
  readonly seq: number
  /** What `fetch` takes for it. */
  readonly id: string
  readonly url: string
  readonly title: string
  /** Words of title, address and text, each with how often it is there: ` ink:3 nib:1 `. */
  readonly head: string
  readonly address: string
  readonly body: string
  /** Words of the text in all. */
  readonly length: number
  /** Characters that are kept of the page, here and elsewhere. */
  readonly size: number
}

/** How the text of a page that can be found begins: what is quoted of it. */
export interface ExcerptRecord {
  readonly at: number
  readonly source: string
  readonly seq: number
  readonly text: string
}

/** An execution whose pages can be found, or are about to be. */
export interface IndexedRunRecord {
  readonly execution: string
  /** `at` of its pages. */
  readonly at: number
  readonly complete: boolean
}

/**
 * Records of what agents do. Those of pages that agents have read expire; those of executions go
 * with them.
 */
export interface AgenticRecords {
  readonly agenticExecutions: Collection<AgenticExecutionRecord>
  readonly readPages: Collection<ReadPageRecord>
  readonly pagePieces: Collection<PagePieceRecord>
  readonly foundBy: Collection<FoundByRecord>
  readonly excerpts: Collection<ExcerptRecord>
  readonly indexedRuns: Collection<IndexedRunRecord>
}

/** Opens the records of what agents do. */
export function openAgenticRecords(store: Store): AgenticRecords {
  return {
    agenticExecutions: new Collection<AgenticExecutionRecord>(store, {
      name: 'agentic-executions',
      id: ({ id }) => [id],
    }),
    readPages: new Collection<ReadPageRecord>(store, { name: 'read-pages', id: ({ id }) => [id] }),
    pagePieces: new Collection<PagePieceRecord>(store, {
      name: 'page-pieces',
      id: ({ page, index }) => [page, index],
    }),
    foundBy: new Collection<FoundByRecord>(store, { name: 'found-by', id: placeOf }),
    excerpts: new Collection<ExcerptRecord>(store, { name: 'excerpts', id: placeOf }),
    indexedRuns: new Collection<IndexedRunRecord>(store, {
      name: 'indexed-runs',
      id: ({ execution }) => [execution],
    }),
  }
}

const placeOf = ({
  at,
  source,
  seq,
}: {
  readonly at: number
  readonly source: string
  readonly seq: number
}) => [at, source, seq] as const
