import { retryDelay } from '../kernel/queue-lanes.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Stored } from '../records/collection.ts'
import type { CoreRecords, JobRecord } from '../records/core.ts'

/**
 * Deaths after which a job's progress does not clear it any more: what kills its worker now and
 * then is no accident.
 */
const MOST_DEATHS = 20

/** A job that this process has taken, for as long as the record keeps its token. */
export interface Lease {
  readonly job: JobRecord
  readonly token: string
  /** Its place in its share's line, which it keeps when it gives way to another share. */
  readonly place: number
}

/**
 * What is to happen with a taken job: the handler's answer, or a try later because it threw. `not
 * given up`: it was not the job itself that did.
 */
export type JobEnd = JobResult | 'failed' | 'not given up'

/**
 * Taking, keeping and giving back jobs, each by one commit that holds only while the job's record
 * is as it was read.
 */
export class QueueLeases {
  readonly #records: CoreRecords
  readonly #clock: Clock
  readonly #random: RandomBytes
  readonly leaseMs: number

  constructor({
    records,
    clock,
    random,
    leaseMs,
  }: {
    records: CoreRecords
    clock: Clock
    random: RandomBytes
    leaseMs: number
  }) {
    this.#records = records
    this.#clock = clock
    this.#random = random
    this.leaseMs = leaseMs
  }

  /** `null`: another consumer was faster. The record has the attempt before its handler runs. */
  async take(stored: Stored<JobRecord>): Promise<Lease | null> {
    const now = this.#clock.now()
    const token = hex(this.#random(12))
    const { again, ready: _, ...job } = stored.value
    // This run begins after every push so far; only one for a later time is still to come.
    const later = again !== undefined && again > now ? { again } : {}
    const taken: JobRecord = {
      ...job,
      ...later,
      dueAt: now + this.leaseMs,
      attempt: job.attempt + 1,
      lease: token,
    }
    const lease: Lease = { job: taken, token, place: Math.min(job.dueAt, now) }
    try {
      return (await this.#replace(stored, taken)) ? lease : null
    } catch (error) {
      // The outcome is unknown: the record tells. Else the job would lie there until the lease
      // ends.
      const present = await this.#own(lease).catch(() => undefined)
      if (present === undefined) throw error
      return present ? lease : null
    }
  }

  /**
   * Puts a job that is due into its share's line. One whose lease ended without a word is a suspect
   * from now on.
   */
  async lineUp(stored: Stored<JobRecord>): Promise<void> {
    const { lease, lost = [], deaths = 0, ...job } = stored.value
    const now = this.#clock.now()
    if (lease !== null)
      await this.#replace(stored, {
        ...job,
        dueAt: now,
        ready: true,
        lease: null,
        lost: [...lost, lease],
        deaths: deaths + 1,
      })
    else await this.#replace(stored, { ...stored.value, ready: true })
  }

  /**
   * Keeps a suspect from other consumers for a while, so that only this one makes room for it;
   * `null`: another was faster.
   */
  async hold(stored: Stored<JobRecord>, ms: number): Promise<Stored<JobRecord> | null> {
    const { ready: _, ...job } = stored.value
    if (!(await this.#replace(stored, { ...job, dueAt: this.#clock.now() + ms }))) return null
    return this.#records.jobs.get(SYSTEM, job.id)
  }

  /** Notes that a delivery has got further than the lost ones before it. */
  async progress(lease: Lease): Promise<void> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return
      const { lost = [], ...job } = stored.value
      const kept = (job.deaths ?? 0) >= MOST_DEATHS && lost.length > 0 ? { lost } : {}
      if (await this.#replace(stored, { ...job, ...kept, attempt: 1 })) return
    }
  }

  /**
   * Takes back that a delivery was lost, as its handler has ended after all: the process was
   * stalled, or away from the store.
   */
  async notLost(lease: Lease): Promise<void> {
    for (;;) {
      const stored = await this.#records.jobs.get(SYSTEM, lease.job.id)
      const left = stored?.value.lost?.filter((token) => token !== lease.token)
      if (!stored || !left || left.length === stored.value.lost?.length) return
      const { lost: _, deaths = 1, ...job } = stored.value
      if (
        await this.#replace(stored, {
          ...job,
          ...(left.length > 0 && { lost: left }),
          deaths: deaths - 1,
        })
      )
        return
    }
  }

  /** Renews the lease; `false`: it is lost. */
  async extend(lease: Lease): Promise<boolean> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return false
      if (await this.#replace(stored, { ...stored.value, dueAt: this.#clock.now() + this.leaseMs }))
        return true
    }
  }

  /**
   * Ends the lease: removes the job or schedules it anew. Where the lease is lost, only its death
   * is taken back. `gaveWay`: it was asked to, and keeps its place.
   */
  async settle(lease: Lease, settlement: JobEnd, gaveWay: boolean): Promise<void> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return this.notLost(lease)
      const next = this.#next(stored.value, settlement, gaveWay ? lease.place : null)
      const change = new Change()
      if (next) this.#records.jobs.update(change, SYSTEM, stored, next)
      else this.#records.jobs.remove(change, SYSTEM, stored)
      if (await this.#records.commit(change)) return
    }
  }

  /**
   * A delivery that ends clears what the lost ones before it have left; one that gave way is not
   * over yet.
   */
  #next(
    { again, ...stored }: JobRecord,
    settlement: JobEnd,
    place: number | null,
  ): JobRecord | null {
    const { lost = [], deaths, ...job } = stored
    const now = this.#clock.now()
    if (settlement === 'not given up')
      return {
        ...this.#later(job, now, again),
        ...(lost.length > 0 && { lost }),
        ...(deaths !== undefined && { deaths }),
      }
    if (settlement === 'failed') return this.#later(job, now, again)
    const dueAt =
      settlement === 'done' ? again : Math.min(settlement.again, again ?? settlement.again)
    if (dueAt === undefined) return null
    const rest: JobRecord = {
      ...job,
      dueAt,
      attempt: 0,
      lease: null,
      ...(again !== undefined && again > dueAt && { again }),
      ...(place !== null && deaths !== undefined && { deaths }),
    }
    return dueAt > now ? rest : { ...rest, dueAt: place ?? dueAt, ready: true }
  }

  #later(job: JobRecord, now: number, again: number | undefined): JobRecord {
    return {
      ...job,
      dueAt: now + retryDelay(job.attempt, this.#random(1)),
      lease: null,
      ...(again !== undefined && { again }),
    }
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
