import type { Clock } from '../ports/clock.ts'
import type { Stored } from '../records/collection.ts'
import type { JobRecord } from '../records/core.ts'
import type { QueueLeases } from './queue-leases.ts'
import type { QueueLines } from './queue-lines.ts'

/** Maximum time, in ms, that a suspect waits until no job runs. */
const PATIENCE_MS = 30_000
/** Maximum time, in ms, that a consumer makes room for a suspect. */
const ROOM_MS = 30_000
/** Interval, in ms, at which a busy consumer checks whether a suspect has waited too long. */
const CHECK_MS = 10_000

/** Schedules suspects, which are jobs that have lost a worker: they run last, and alone. */
export class QueueSuspects {
  readonly #leases: QueueLeases
  readonly #lines: QueueLines
  readonly #clock: Clock
  #checkAt: number
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
    this.#checkAt = clock.now() + CHECK_MS
  }

  /** True if the consumer takes no other jobs, because a suspect has waited long enough. */
  get wantsRoom(): boolean {
    if (this.#held && this.#held.until <= this.#clock.now()) this.#held = null
    return this.#held !== null
  }

  /** The suspect that may run now, while no other job runs. `null`: no suspect waits. */
  async next(): Promise<Stored<JobRecord> | null> {
    const job = this.#held?.job ?? (await this.#lines.suspect()).jobs[0]
    this.#held = null
    return job?.value.lease === null ? job : null
  }

  /** Checks, while other jobs run, whether a suspect has waited too long, and reserves it if so. */
  async checkWhileBusy(): Promise<boolean> {
    const now = this.#clock.now()
    if (this.#held || now < this.#checkAt) return false
    this.#checkAt = now + CHECK_MS
    const [job] = (await this.#lines.suspect()).jobs
    if (!job || now - job.value.dueAt < PATIENCE_MS) return false
    const held = await this.#leases.hold(job, ROOM_MS)
    if (held) this.#held = { job: held, until: now + ROOM_MS }
    return held !== null
  }
}
