import { isObject } from '../kernel/json.ts'
import type { Json } from '../kernel/json.ts'
import type { Lane } from '../ports/queue.ts'
import type { Scope } from '../kernel/scope.ts'
import type { Store } from '../ports/store.ts'
import type { Telemetry } from '../ports/telemetry.ts'
import type { Change } from './change.ts'
import { Collection } from './collection.ts'
import type { CollectionSpec } from './collection.ts'
import type { KeyPart } from '../kernel/key.ts'

/** A job that a commit wants pushed to the queue. */
export interface OutboxRecord {
  readonly id: string
  readonly kind: string
  readonly data: Json
  /** Absent: `short`. */
  readonly lane?: Lane
  /**
   * When it is due, in Unix ms. 0: at once. Work that is due at once has no time, because the clock
   * of this process may be ahead of the workers' clocks.
   */
  readonly at: number
}

/** A secret that the platform generated, base64url. */
interface SecretRecord {
  readonly name: string
  readonly value: string
}

/**
 * A request that must have its effect only once. Its id is the digest of the caller's idempotency
 * key.
 */
export interface RequestRecord {
  /** SHA-256 of the idempotency key, hex. */
  readonly id: string
  /** SHA-256 of the request (operation, address, body), hex. */
  readonly asked: string
  /** The id of the running attempt. */
  readonly holder: string
  /** The encrypted answer. `null` while the attempt runs, at most until its lease ends. */
  readonly answer: string | null
  /**
   * Scopes that the operation needed beyond those of its route. A caller needs one of each list.
   * Absent in answers of an earlier version, which did not store them.
   */
  readonly demands?: readonly (readonly Scope[])[]
}

/** The usage of a rate limit; see `kernel/fair/gcra.ts`. */
interface BucketRecord {
  readonly key: string
  /**
   * The time when the bucket is full again: `ms` in Unix milliseconds, plus `part` / `of` of a
   * millisecond.
   */
  readonly ms: number
  readonly part: number
  readonly of: number
}

/** Records of the platform itself. They exist with every choice of features. */
export interface CoreRecords {
  readonly jobs: Collection<JobRecord>
  readonly secrets: Collection<SecretRecord>
  readonly requests: Collection<RequestRecord>
  readonly buckets: Collection<BucketRecord>
  readonly outbox: Collection<OutboxRecord>
  /**
   * `false`: a checked record had changed, and nothing was written. A rejection means that the
   * outcome is unknown.
   */
  commit(change: Change): Promise<boolean>
}

/** Opens the records of the platform itself. */
export function openCoreRecords(store: Store, telemetry: Telemetry | null): CoreRecords {
  const outbox = { name: 'outbox', id: (entry: OutboxRecord) => [entry.id], owner: ownerOf }
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
    outbox: telemetry
      ? new TracedOutbox(store, outbox, telemetry)
      : new Collection<OutboxRecord>(store, outbox),
    async commit(change) {
      const isApplied = await store.commit(change.toCommit())
      if (isApplied) change.applied()
      return isApplied
    },
  }
}

/** The field of a job's data that names its trace. Every queue passes it on with the data. */
export const TRACE = 'trace'

/** The outbox of a platform that traces. A job continues the trace in which it was requested. */
export class TracedOutbox extends Collection<OutboxRecord> {
  readonly #telemetry: Telemetry

  constructor(store: Store, spec: CollectionSpec<OutboxRecord>, telemetry: Telemetry) {
    super(store, spec)
    this.#telemetry = telemetry
  }

  override put(change: Change, account: string, entry: OutboxRecord, expiresAt?: number): void {
    const trace = this.#telemetry.context()
    const { data } = entry
    super.put(
      change,
      account,
      trace && isObject(data) ? { ...entry, data: { ...data, [TRACE]: { ...trace } } } : entry,
      expiresAt,
    )
  }
}

/** A job of the queue that lives on the Store. */
export interface JobRecord {
  readonly id: string
  readonly kind: string
  readonly data: Json
  readonly lane: Lane
  /** The share that the job belongs to. Absent: none. */
  readonly share?: string
  /** Time at which the job is due. A taken job is due again when its lease ends. */
  readonly dueAt: number
  /**
   * Time at which `dueAt` was set, by the same clock. Present only if the job was not due then. So
   * `dueAt - setAt` is the wait, even if that clock was wrong.
   */
  readonly setAt?: number
  /** Set if the job is due and waits for its share's turn. */
  readonly ready?: true
  readonly attempt: number
  /** Tokens of the leases that expired since the job last made progress. Absent: none. */
  readonly lost?: readonly string[]
  /**
   * The last token of `lost` when a delivery failed to give the job up, so that `lost` was kept. It
   * is a token and not a count, because a process of an earlier version may change `lost` but not
   * this.
   */
  readonly lostBefore?: string
  /** Number of all leases that expired. Absent: none. */
  readonly deaths?: number
  /** Token of the consumer that holds the job. */
  readonly lease: string | null
  /**
   * Present if the job was pushed while a consumer held it. Then it runs once more, at this time or
   * later.
   */
  readonly again?: number
  /**
   * Time at which `again` was set, by the clock of the process that pushed. `again - againSetAt` is
   * the wait.
   */
  readonly againSetAt?: number
}

/** The account that a job works for. */
function ownerOf({ data }: Pick<JobRecord, 'data'>): string | null {
  return isObject(data) && typeof data['account'] === 'string' ? data['account'] : null
}

/** Jobs that have lost a worker wait apart from the others, the least suspicious first. */
export const SUSPECTS = 'suspects'

function isReady({ ready, lease }: JobRecord): boolean {
  return ready === true && lease === null
}

function readyPosition({ lane, share = '', dueAt, lost = [] }: JobRecord): readonly KeyPart[] {
  return lost.length === 0 ? [lane, share, dueAt] : [SUSPECTS, lost.length, dueAt]
}

/**
 * Opens the jobs. Those that are not due yet or have a consumer are ordered by time. Those that are
 * due wait in one line for each share.
 */
function openJobs(store: Store): Collection<JobRecord> {
  return new Collection<JobRecord>(store, {
    name: 'jobs',
    id: (job) => [job.id],
    owner: ownerOf,
    indexes: {
      due: (job) => (isReady(job) ? [] : [[job.lane, job.dueAt]]),
      ready: (job) => (isReady(job) ? [readyPosition(job)] : []),
    },
  })
}
