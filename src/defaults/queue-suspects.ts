import type { Clock } from '../ports/clock.ts'
import type { Stored } from '../records/collection.ts'
import type { JobRecord } from '../records/core.ts'
import type { QueueLeases } from './queue-leases.ts'
import type { QueueLines } from './queue-lines.ts'

/** How long a suspect waits at most for a moment in which nothing runs, in ms. */
const PATIENCE_MS = 30_000
/** How long a consumer makes room for one at most, in ms. */
const ROOM_MS = 30_000
/** How often a busy consumer looks whether a suspect has waited too long, in ms. */
const LOOK_MS = 10_000

/** When a consumer runs jobs that have lost a worker: last, and beside no other job. */
export class QueueSuspects {
  readonly #leases: QueueLeases
  readonly #lines: QueueLines
  readonly #clock: Clock
  #lookAt: number
  /** The job for which room is being made. */
  #held: { readonly job: Stored<JobRecord>; readonly until: number } | null = null

  constructor({
    leases,
    lines,
    clock,
  }: {
    readonly leases: QueueLeases
    readonly lines: QueueLines
    readonly clock: Clock
  }) {
    this.#leases = leases
    this.#lines = lines
    this.#clock = clock
    this.#lookAt = clock.now() + LOOK_MS
  }

  /** Whether the consumer takes no other jobs, as one has waited long enough. */
  get wantsRoom(): boolean {
    if (this.#held && this.#held.until <= this.#clock.now()) this.#held = null
    return this.#held !== null
  }

  /** The suspect that may run now, while nothing else does; `null`: there is none. */
  async next(): Promise<Stored<JobRecord> | null> {
    const job = this.#held?.job ?? (await this.#lines.suspect()).jobs[0]
    this.#held = null
    return job?.value.lease === null ? job : null
  }

  /**
   * Looks, while others run, whether one has waited too long, and keeps it from other consumers
   * then.
   */
  async lookWhileBusy(): Promise<boolean> {
    const now = this.#clock.now()
    if (this.#held || now < this.#lookAt) return false
    this.#lookAt = now + LOOK_MS
    const [job] = (await this.#lines.suspect()).jobs
    if (!job || now - job.value.dueAt < PATIENCE_MS) return false
    const held = await this.#leases.hold(job, ROOM_MS)
    if (held) this.#held = { job: held, until: now + ROOM_MS }
    return held !== null
  }
}
