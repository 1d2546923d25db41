import type { ErrorCode } from '../../kernel/errors.ts'
import type { Store } from '../../ports/store.ts'
import { Collection } from '../../records/collection.ts'

/** One write that a caller requested over HTTP. */
export interface AuditRecord {
  readonly id: string
  readonly at: number
  /** The operation of the route table, such as `tasks.create`. */
  readonly operation: string
  /** Id of the record that was written, if it has one. */
  readonly subject: string | null
  readonly user: string
  /** Id of the API key. `null`: the caller used another credential. */
  readonly key: string | null
  /** The client's address, as far as the host knows it. */
  readonly ip: string | null
  readonly requestId: string
  /** HTTP status of the answer. */
  readonly status: number
  /** Code of the refusal. `null`: the write was done. */
  readonly code: ErrorCode | null
}

/** Records of writes. They expire. */
export interface AuditRecords {
  readonly audits: Collection<AuditRecord>
}

/** Opens the records of writes. */
export function openAuditRecords(store: Store): AuditRecords {
  return { audits: new Collection<AuditRecord>(store, { name: 'audit', id: ({ id }) => [id] }) }
}
