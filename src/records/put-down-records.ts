import type { Store } from '../ports/store.ts'
import { Collection } from './collection.ts'
import type { StartList } from './types.ts'

/** A host of an execution that was put down, as far as it may not be asked at any time. */
export interface HostTurnRecord {
  readonly host: string
  readonly next: number
  readonly crawlDelayMs: number
  readonly backoffMs: number
}

/** What whoever takes an execution up again has to know of its hosts. */
export interface HostTurnsRecord {
  readonly execution: string
  readonly hosts: readonly HostTurnRecord[]
}

/** How far the reading of a list of start pages has come that was put down. */
export interface ListReadRecord {
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
