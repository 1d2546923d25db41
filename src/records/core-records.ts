import type { Scope } from '../kernel/scope.ts'
import type { Store } from '../ports/store.ts'
import type { Change } from './change.ts'
import { Collection } from './collection.ts'
import { openJobs } from './job-records.ts'
import type { JobRecord } from './job-records.ts'

/** A secret that the platform made for itself, base64url. */
export interface SecretRecord {
  readonly name: string
  readonly value: string
}

/**
 * A request that must have its effect only once, found by the account and the digest of the key
 * that the caller gave it.
 */
export interface RequestRecord {
  /** SHA-256 of the idempotency key, hex. */
  readonly id: string
  /** SHA-256 of what was asked: operation, address, body; hex. */
  readonly asked: string
  /** Names the attempt that is under way. */
  readonly holder: string
  /** What was answered, sealed; `null` while the attempt is under way, which ends with its lease. */
  readonly answer: string | null
  /**
   * Scopes that the operation needed beyond its route's: one of each list. Absent in an answer that
   * an earlier version stored, which did not note them.
   */
  readonly demands?: readonly (readonly Scope[])[]
}

/** How far a rate has been used; see `kernel/gcra.ts`. */
export interface BucketRecord {
  readonly key: string
  /** When the bucket is full again: `ms` Unix milliseconds and `part` of `of` parts of another. */
  readonly ms: number
  readonly part: number
  readonly of: number
}

/** Records of the platform itself, whatever its features are. */
export interface CoreRecords {
  readonly jobs: Collection<JobRecord>
  readonly secrets: Collection<SecretRecord>
  readonly requests: Collection<RequestRecord>
  readonly buckets: Collection<BucketRecord>
  /**
   * `false`: something had changed meanwhile and nothing was written. A rejection means that the
   * outcome is unknown.
   */
  commit(change: Change): Promise<boolean>
}

/** Opens the records of the platform itself. */
export function openCoreRecords(store: Store): CoreRecords {
  return {
    jobs: openJobs(store),
    secrets: new Collection<SecretRecord>(store, {
      name: 'secrets',
      id: (secret) => [secret.name],
    }),
    requests: new Collection<RequestRecord>(store, {
      name: 'requests',
      id: (request) => [request.id],
    }),
    buckets: new Collection<BucketRecord>(store, { name: 'buckets', id: (bucket) => [bucket.key] }),
    commit: (change) => store.commit(change.toCommit()),
  }
}
