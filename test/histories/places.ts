import type { Store } from '../../src/ports/store.ts'
import type { Transaction } from './history.ts'

/** The work of a process, as data that can be sent to it. */
export interface HistoryOrder {
  /** The name of the place of the data in the store. */
  readonly place: string
  /** The clients of this process, which work at the same time. */
  readonly clients: readonly number[]
  /** True: they share one store; else each has its own. */
  readonly isShared: boolean
  readonly seed: number
  readonly keys: number
  readonly count: number
}

/** A process, or where a store lives in one process a connection, that does orders. */
export interface HistoryWriter {
  /** Rejects if it was killed, or failed. */
  run(order: HistoryOrder, note: (transaction: Transaction) => void): Promise<void>
  kill(): Promise<void>
  close(): Promise<void>
}

/** A real store with what may happen to it. */
export interface HistoryStore {
  readonly staleReads: boolean
  /** The names of faults; `kill a writer` is done by the caller. */
  readonly faults: readonly string[]
  start(): HistoryWriter
  /** Opens the place for the last read. */
  open(place: string): Promise<OpenedStore>
  /** Before a run that will have this fault, or `null`. */
  prepare(fault: string | null): Promise<void>
  cause(fault: string): Promise<void>
  close(): Promise<void>
}

/** A store with its connections. */
export interface OpenedStore {
  readonly store: Store
  close(): Promise<void>
}

/** The fault of every store with processes. */
export const KILL = 'kill a writer'
