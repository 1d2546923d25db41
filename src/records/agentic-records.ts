import type { Json } from '../kernel/json.ts'
import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'

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
  /** How the text begins. */
  readonly lead: string
  readonly metadata: { readonly [name: string]: Json }
  readonly pieces: number
}

/** A part of the text of a page, small enough for one answer. */
export interface PagePieceRecord {
  readonly page: string
  readonly index: number
  readonly text: string
}

/** Records of what agents do. All of them expire. */
export interface AgenticRecords {
  readonly agenticExecutions: Collection<AgenticExecutionRecord>
  readonly readPages: Collection<ReadPageRecord>
  readonly pagePieces: Collection<PagePieceRecord>
}

/** Opens the records of what agents do. */
export function openAgenticRecords(store: Store): AgenticRecords {
  return {
    agenticExecutions: new Collection<AgenticExecutionRecord>(store, { name: 'agentic-executions', id: ({ id }) => [id] }),
    readPages: new Collection<ReadPageRecord>(store, { name: 'read-pages', id: ({ id }) => [id] }),
    pagePieces: new Collection<PagePieceRecord>(store, { name: 'page-pieces', id: ({ page, index }) => [page, index] }),
  }
}
