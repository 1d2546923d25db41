import { retryDelay } from '../kernel/retry-delay.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { JobResult, Lane } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Stored } from '../records/collection.ts'
import type { Records } from '../records/records.ts'
import type { JobRecord } from '../records/types.ts'

/** A job that this process has taken, for as long as the record keeps its token. */
export interface Lease {
  readonly job: JobRecord
  readonly token: string
}

/** What is to happen with a taken job: the handler's answer, or a try later because it threw. */
export type Settlement = JobResult | 'failed'

/** Taking, keeping and giving back jobs, each by one commit that holds only while the job's record is as it was read. */
export class QueueLeases {
  readonly #records: Records
  readonly #clock: Clock
  readonly #random: RandomBytes
  readonly leaseMs: number

  constructor({ records, clock, random, leaseMs }: { records: Records; clock: Clock; random: RandomBytes; leaseMs: number }) {
    this.#records = records
    this.#clock = clock
    this.#random = random
    this.leaseMs = leaseMs
  }

  /**
   * The first `limit` jobs of a lane by time, due or not; one whose lease has ended is due. `moved`: the places in the index of those
   * that got another time while they were read, so that others may be due that were not read.
   */
  async first(lane: Lane, limit: number): Promise<{ jobs: Stored<JobRecord>[]; moved: readonly string[] }> {
    const found = await this.#records.jobs.listBy('due', SYSTEM, { within: [lane], limit })
    return {
      jobs: found.map(({ record }) => record),
      moved: found.flatMap(({ record, position }) => (record.value.dueAt === position[1] ? [] : [position.join('/')])),
    }
  }

  /** `null`: another consumer was faster. */
  async take(stored: Stored<JobRecord>): Promise<Lease | null> {
    const now = this.#clock.now()
    const token = hex(this.#random(12))
    const { again, ...job } = stored.value
    // This run begins after every push so far; only one for a later time is still to come.
    const later = again !== undefined && again > now ? { again } : {}
    const taken: JobRecord = { ...job, ...later, dueAt: now + this.leaseMs, attempt: job.attempt + 1, lease: token }
    const lease: Lease = { job: taken, token }
    try {
      return (await this.#replace(stored, taken)) ? lease : null
    } catch (error) {
      // The outcome is unknown: the record tells. Else the job would lie there until the lease ends.
      const present = await this.#own(lease).catch(() => undefined)
      if (present === undefined) throw error
      return present ? lease : null
    }
  }

  /** Renews the lease; `false`: it is lost. */
  async extend(lease: Lease): Promise<boolean> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return false
      if (await this.#replace(stored, { ...stored.value, dueAt: this.#clock.now() + this.leaseMs })) return true
    }
  }

  /** Ends the lease: removes the job or schedules it anew. Does nothing where the lease is lost. */
  async settle(lease: Lease, settlement: Settlement): Promise<void> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return
      const next = this.#next(stored.value, settlement)
      const change = new Change()
      if (next) this.#records.jobs.update(change, SYSTEM, stored, next)
      else this.#records.jobs.remove(change, SYSTEM, stored)
      if (await this.#records.commit(change)) return
    }
  }

  #next({ again, ...job }: JobRecord, settlement: Settlement): JobRecord | null {
    if (settlement === 'failed') return { ...job, dueAt: this.#clock.now() + retryDelay(job.attempt, this.#random(1)), lease: null, ...(again !== undefined && { again }) }
    const dueAt = settlement === 'done' ? again : Math.min(settlement.again, again ?? settlement.again)
    if (dueAt === undefined) return null
    return { ...job, dueAt, attempt: 0, lease: null, ...(again !== undefined && again > dueAt && { again }) }
  }

  async #own(lease: Lease): Promise<Stored<JobRecord> | null> {
    const stored = await this.#records.jobs.get(SYSTEM, lease.job.id)
    return stored?.value.lease === lease.token ? stored : null
  }

  #replace(stored: Stored<JobRecord>, value: JobRecord): Promise<boolean> {
    const change = new Change()
    this.#records.jobs.update(change, SYSTEM, stored, value)
    return this.#records.commit(change)
  }
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
