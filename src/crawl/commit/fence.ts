import { moveExecution } from '../../features/executions/lifecycle.ts'
import { Change } from '../../records/change.ts'
import type { Records } from '../../features/records.ts'
import type { Stored } from '../../records/collection.ts'
import type {
  ExecutionRecord,
  FenceRecord,
  HeartbeatRecord,
} from '../../features/executions/records.ts'

/**
 * The right to write an execution's outcomes. The fence record changes only when the holder does,
 * so its version, checked by every commit of a run, shuts out a worker that was overtaken,
 * cancelled or paused. The heartbeat only tells others how long to leave the holder alone: losing
 * it loses nothing but time.
 */
export class Fence {
  readonly #records: Records
  readonly account: string
  readonly #stored: Stored<FenceRecord>
  readonly #leaseMs: number
  /** `updatedAt` of the move to `running` under which the holder works. */
  readonly since: number
  #beatAt: number

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
  }

  get holder(): string {
    return this.#stored.value.holder
  }

  /**
   * Takes the fence and moves a queued execution to `running`, in one commit.
   * `busyUntil`: another holder is alive; `lost`: something changed meanwhile, look again.
   */
  static async take(
    records: Records,
    account: string,
    execution: Stored<ExecutionRecord>,
    options: { holder: string; now: number; leaseMs: number },
  ): Promise<Fence | { busyUntil: number } | 'lost'> {
    const { holder, now, leaseMs } = options
    const id = execution.value.id
    const heartbeat = await records.heartbeats.get(account, id)
    if (heartbeat && heartbeat.value.until > now && heartbeat.value.holder !== holder)
      return { busyUntil: heartbeat.value.until }
    const change = new Change()
    // Whoever takes the fence or keeps it writes the heartbeat too, so its version tells of both.
    change.check(records.heartbeats.key(account, [id]), heartbeat?.version ?? null)
    let running = execution.value
    if (running.status === 'running') records.executions.require(change, account, execution)
    else running = moveExecution(records, change, account, execution, 'running', { now })
    records.fences.put(change, account, { execution: id, holder })
    records.heartbeats.put(change, account, beat(id, holder, now + leaseMs))
    if (!(await records.commit(change))) return 'lost'
    const taken = await records.fences.get(account, id)
    return taken?.value.holder === holder
      ? new Fence(records, account, taken, running.updatedAt, leaseMs, now)
      : 'lost'
  }

  /**
   * Makes a commit depend on the fence, and renews the sign of life where a third of its time is
   * over.
   */
  guard(change: Change, now: number): void {
    this.require(change)
    if (this.due(now)) {
      this.#records.heartbeats.put(
        change,
        this.account,
        beat(this.#stored.value.execution, this.holder, now + this.#leaseMs),
      )
      this.#beatAt = now
    }
  }

  /** Whether nobody has taken the fence since. */
  async holds(): Promise<boolean> {
    const now = await this.#records.fences.get(this.account, this.#stored.value.execution)
    return now?.version === this.#stored.version
  }

  /** Makes a commit depend on the fence. */
  require(change: Change): void {
    this.#records.fences.require(change, this.account, this.#stored)
  }

  /** Whether the sign of life wants renewing. */
  due(now: number): boolean {
    return now - this.#beatAt >= this.#leaseMs / 3
  }

  /**
   * Until when nobody else can have taken the fence, even if the last sign of life did not get
   * through. Unix ms.
   */
  get safeUntil(): number {
    return this.#beatAt + (this.#leaseMs * 2) / 3
  }

  /** Adds the end of the holder's time to a commit, which depends on the fence. */
  release(change: Change): void {
    this.require(change)
    this.#records.heartbeats.drop(change, this.account, this.#stored.value.execution)
  }
}

function beat(execution: string, holder: string, until: number): HeartbeatRecord {
  return { execution, holder, until }
}

/**
 * The fence is no longer ours: the execution was cancelled, paused or taken over. Nothing was
 * written.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken'
}
