import { LANES } from '../kernel/queue-lanes.ts'
import { MOST_AHEAD_MS, MOST_SKEW_MS } from '../kernel/time.ts'
import { StillLeases } from '../kernel/leases.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyPart } from '../kernel/key.ts'
import type { Stored } from '../records/collection.ts'
import type { JobRecord } from '../records/core.ts'
import type { QueueLeases } from './queue-leases.ts'
import type { QueueLines } from './queue-lines.ts'

/** Interval, in ms, between two searches. */
const SEARCH_MS = 60_000
/** Number of jobs that one search reads in each lane. The next search goes on behind them. */
const MOST_READ = 200

/**
 * Frees jobs that a process with a clock far ahead has left: their leases end far in the future, or
 * they have no consumer and are due far in the future.
 */
export class QueueOverlong {
  readonly #leases: QueueLeases
  readonly #lines: QueueLines
  readonly #clock: Clock
  readonly #stillLeases: StillLeases
  /** Jobs whose time was set by a clock that is ahead of this one. */
  readonly #waits: StillLeases
  /** The start of the next search, by lane. Absent: after the end of the last plausible lease. */
  readonly #after = new Map<string, readonly KeyPart[]>()
  #searchAt: number

  constructor({
    leases,
    lines,
    clock,
    untilIdle,
  }: {
    readonly leases: QueueLeases
    readonly lines: QueueLines
    readonly clock: Clock
    /** True if the consumer may end before a later search. */
    readonly untilIdle: boolean
  }) {
    this.#leases = leases
    this.#lines = lines
    this.#clock = clock
    this.#stillLeases = new StillLeases(leases.leaseMs)
    this.#waits = new StillLeases(leases.leaseMs)
    this.#searchAt = clock.now() + (untilIdle ? 0 : SEARCH_MS)
  }

  /** Searches if the interval is over. Returns `true` if a job has become free. */
  async search(): Promise<boolean> {
    const now = this.#clock.now()
    if (now < this.#searchAt) return false
    this.#searchAt = now + SEARCH_MS
    let isFree = false
    for (const lane of LANES) {
      const far = await this.#lines.byTimeAfter(
        lane,
        [lane, now + MOST_AHEAD_MS + MOST_SKEW_MS],
        MOST_READ,
      )
      for (const job of far.jobs) {
        if (job.value.lease !== null) continue
        await this.#leases.lineUp(job)
        isFree = true
      }
      const latest = now + this.#leases.leaseMs
      const { jobs, last } = await this.#lines.byTimeAfter(
        lane,
        this.#after.get(lane) ?? [lane, latest],
        MOST_READ,
      )
      if (last) this.#after.set(lane, last)
      else this.#after.delete(lane)
      for (const job of jobs) {
        if (!this.#isOver(job, now)) continue
        await this.#leases.lineUp(job)
        isFree = true
      }
    }
    return isFree
  }

  /**
   * True if a lease has ended, or if a job has waited as long as was intended. It cannot be known
   * which of two clocks is right, so the wait is counted from the time when the job was first seen
   * here.
   */
  #isOver({ value, version }: Stored<JobRecord>, now: number): boolean {
    const { id, lease, dueAt, setAt = now } = value
    if (lease !== null) return this.#stillLeases.isOver(id, version, dueAt, now)
    return setAt > now + MOST_SKEW_MS && this.#waits.isStill(id, version, dueAt - setAt, now)
  }
}
