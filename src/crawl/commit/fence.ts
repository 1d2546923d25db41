import { markInterrupted, moveExecution } from '../../features/executions/lifecycle.ts'
import { Change } from '../../records/change.ts'
import type { Records } from '../../features/records.ts'
import type { StillLeases } from '../../kernel/leases.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  ExecutionRecord,
  FenceRecord,
  HeartbeatRecord,
} from '../../features/executions/records.ts'

/**
 * The exclusive right to write an execution's outcomes. The fence record changes only when its
 * holder changes. Every commit of a run checks the record's version, so a worker cannot commit
 * after it was replaced, or after the execution was cancelled or paused. The heartbeat only tells
 * other workers how long to wait; a lost heartbeat costs only time.
 */
export class Fence {
  readonly #records: Records
  readonly account: string
  readonly #stored: Stored<FenceRecord>
  readonly #leaseMs: number
  /** `updatedAt` of the change to `running` with which the holder started. */
  readonly since: number
  /** The latest heartbeat that is known to be written. */
  #beatAt: number
  /** The latest heartbeat that was tried to be written. */
  #triedAt: number

  private constructor(
    records: Records,
    account: string,
    stored: Stored<FenceRecord>,
    since: number,
    leaseMs: number,
    beatAt: number,
  ) {
    this.#records = records
    this.account = account
    this.#stored = stored
    this.since = since
    this.#leaseMs = leaseMs
    this.#beatAt = beatAt
    this.#triedAt = beatAt
  }

  get holder(): string {
    return this.#stored.value.holder
  }

  /**
   * Takes the fence and moves a queued execution to `running`, in one commit. `busyUntil`: another
   * holder is alive, or may be; ask again at that time. `lost`: a record changed in between, so
   * read again.
   */
  static async take(
    records: Records,
    account: string,
    execution: Stored<ExecutionRecord>,
    options: { holder: string; now: number; leaseMs: number; stillLeases: StillLeases },
  ): Promise<Fence | { busyUntil: number } | 'lost'> {
    const { holder, now, leaseMs, stillLeases } = options
    const id = execution.value.id
    const heartbeat = await records.heartbeats.get(account, id)
    if (heartbeat && heartbeat.value.holder !== holder) {
      const { until } = heartbeat.value
      if (!stillLeases.isOver(id, heartbeat.version, until, now))
        return { busyUntil: Math.min(until, now + leaseMs) }
    }
    const change = new Change()
    // Every holder writes the heartbeat when it takes or renews the fence, so the heartbeat's
    // version covers both.
    change.check(records.heartbeats.key(account, [id]), heartbeat?.version ?? null)
    let running = execution.value
    if (running.status === 'running') {
      // A holder that has ended its work deletes its heartbeat.
      if (heartbeat === null) records.executions.require(change, account, execution)
      else markInterrupted(records, change, account, execution)
    } else running = moveExecution(records, change, account, execution, 'running', { now })
    records.fences.put(change, account, { execution: id, holder })
    records.heartbeats.put(change, account, beat(id, holder, now + leaseMs))
    if (!(await records.commit(change))) return 'lost'
    const fence = await records.fences.get(account, id)
    return fence?.value.holder === holder
      ? new Fence(records, account, fence, running.updatedAt, leaseMs, now)
      : 'lost'
  }

  /** Makes a commit depend on the fence, and renews the heartbeat after a third of the lease. */
  guard(change: Change, now: number): void {
    this.require(change)
    if (this.due(now)) {
      this.#records.heartbeats.put(
        change,
        this.account,
        beat(this.#stored.value.execution, this.holder, now + this.#leaseMs),
      )
      this.#triedAt = now
      // If the commit is refused for another reason, it is tried again, and must then renew the
      // lease.
      change.whenApplied(() => (this.#beatAt = now))
    }
  }

  /** True if no other worker has taken the fence since. */
  async holds(): Promise<boolean> {
    const now = await this.#records.fences.get(this.account, this.#stored.value.execution)
    return now?.version === this.#stored.version
  }

  /** Makes a commit depend on the fence. */
  require(change: Change): void {
    this.#records.fences.require(change, this.account, this.#stored)
  }

  /** True if the heartbeat must be renewed. */
  due(now: number): boolean {
    return now - this.#beatAt >= this.#leaseMs / 3
  }

  /**
   * Unix ms until which no other worker can have taken the fence, even if the last heartbeats were
   * not written.
   */
  get safeUntil(): number {
    return Math.min(this.#triedAt + (this.#leaseMs * 2) / 3, this.#beatAt + this.#leaseMs)
  }

  /** Adds the release of the fence to a commit, which depends on the fence. */
  release(change: Change): void {
    this.require(change)
    this.#records.heartbeats.drop(change, this.account, this.#stored.value.execution)
  }
}

function beat(execution: string, holder: string, until: number): HeartbeatRecord {
  return { execution, holder, until }
}

/**
 * Thrown when this worker no longer holds the fence: the execution was cancelled, paused or taken
 * over. Nothing was written.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}
