import { retryDelay } from '../kernel/queue-lanes.ts'
import { MOST_AHEAD_MS } from '../kernel/time.ts'
import type { Clock, RandomBytes } from '../ports/clock.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import type { Stored } from '../records/collection.ts'
import type { CoreRecords, JobRecord } from '../records/core.ts'

/**
 * Number of lost deliveries after which progress no longer clears a job: a job that kills its
 * worker repeatedly is not unlucky.
 */
const MOST_DEATHS = 20

/** A job that this process holds, as long as the record has its token. */
export interface Lease {
  readonly job: JobRecord
  readonly token: string
  /** Its position in its share's line. The job keeps it when it suspends for another share. */
  readonly position: number
}

/**
 * The end of a taken job: the handler's result, or a retry because it threw. `not given up`: the
 * delivery failed to give the job up.
 */
export type LeaseEnd = JobResult | 'failed' | 'not given up'

/**
 * Takes, keeps and returns jobs, each by one commit that succeeds only if the job's record is
 * unchanged since it was read.
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

  /** `null`: another consumer was faster. The attempt is recorded before the handler runs. */
  async take(stored: Stored<JobRecord>): Promise<Lease | null> {
    const now = this.#clock.now()
    const token = hex(this.#random(12))
    const { ready: _, setAt: __, ...value } = stored.value
    const [job, push] = withoutPush(value)
    // This run starts after all earlier pushes, so it covers them. Only a push for a later time
    // remains.
    const leased: JobRecord = {
      ...job,
      ...(push !== undefined && push.again > now && push),
      dueAt: now + this.leaseMs,
      attempt: job.attempt + 1,
      lease: token,
    }
    const lease: Lease = { job: leased, token, position: Math.min(job.dueAt, now) }
    try {
      return (await this.#replace(stored, leased)) ? lease : null
    } catch (error) {
      // The outcome of the commit is unknown, so the record is read. Otherwise the job would wait
      // until the lease ends. If the commit had no effect, the consumer must wait, because a full
      // disk refuses the next try as well.
      if (!(await this.#own(lease).catch(() => null))) throw error
      return lease
    }
  }

  /** Moves a due job to its share's line. A job whose lease expired becomes a suspect. */
  async lineUp(stored: Stored<JobRecord>): Promise<void> {
    const { lease, lost = [], lostBefore: _, deaths = 0, ...job } = stored.value
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
    else {
      const { setAt: __, ...due } = stored.value
      await this.#replace(stored, { ...due, dueAt: Math.min(due.dueAt, now), ready: true })
    }
  }

  /**
   * Reserves a suspect for a while, so that only this consumer makes room for it. `null`: another
   * consumer was faster.
   */
  async hold(stored: Stored<JobRecord>, ms: number): Promise<Stored<JobRecord> | null> {
    const { ready: _, ...job } = stored.value
    if (!(await this.#replace(stored, { ...job, dueAt: this.#clock.now() + ms }))) return null
    return this.#records.jobs.get(SYSTEM, job.id)
  }

  /** Records that a delivery has got further than the lost ones before it. */
  async progress(lease: Lease): Promise<void> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return
      const { lost = [], ...job } = stored.value
      const losses = (job.deaths ?? 0) >= MOST_DEATHS && lost.length > 0 ? { lost } : {}
      if (await this.#replace(stored, { ...job, ...losses, attempt: 1 })) return
    }
  }

  /**
   * Withdraws a lost delivery whose handler has ended after all: the process was stalled, or could
   * not reach the store.
   */
  async notLost(lease: Lease): Promise<void> {
    for (;;) {
      const stored = await this.#records.jobs.get(SYSTEM, lease.job.id)
      const left = stored?.value.lost?.filter((token) => token !== lease.token)
      if (!stored || !left || left.length === stored.value.lost?.length) return
      const { lost: _, lostBefore, deaths = 1, ...job } = stored.value
      const last = left.at(-1)
      const before = lostBefore === lease.token ? last : lostBefore
      if (
        await this.#replace(stored, {
          ...job,
          ...(last !== undefined && { lost: left }),
          ...(last !== undefined && before !== undefined && { lostBefore: before }),
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
   * Ends the lease: removes the job or schedules it again. If the lease is lost, only withdraws the
   * lost delivery. `gaveWay`: the job was asked to suspend and keeps its position.
   */
  async settle(lease: Lease, leaseEnd: LeaseEnd, gaveWay: boolean): Promise<void> {
    for (;;) {
      const stored = await this.#own(lease)
      if (!stored) return this.notLost(lease)
      const next = this.#next(stored.value, leaseEnd, gaveWay ? lease.position : null)
      const change = new Change()
      if (next) this.#records.jobs.update(change, SYSTEM, stored, next)
      else this.#records.jobs.remove(change, SYSTEM, stored)
      if (await this.#records.commit(change)) return
    }
  }

  /**
   * A delivery that ends clears the lost deliveries before it. A suspended delivery has not ended
   * yet.
   */
  #next(record: JobRecord, leaseEnd: LeaseEnd, position: number | null): JobRecord | null {
    const [{ lost = [], lostBefore: _, deaths, ...job }, push] = withoutPush(record)
    const now = this.#clock.now()
    const last = lost.at(-1)
    if (leaseEnd === 'not given up')
      return {
        ...this.#later(job, now, push),
        ...(last !== undefined && { lost, lostBefore: last }),
        ...(deaths !== undefined && { deaths }),
      }
    if (leaseEnd === 'failed') return this.#later(job, now, push)
    const pushedTo = push === undefined ? Infinity : dueOf(push, now)
    const next = leaseEnd === 'done' ? pushedTo : Math.min(leaseEnd.again, pushedTo)
    if (next === Infinity) return null
    const dueAt = Math.min(next, now + MOST_AHEAD_MS)
    const rest: JobRecord = {
      ...job,
      dueAt,
      attempt: 0,
      lease: null,
      ...(pushedTo !== Infinity && pushedTo > dueAt && push),
      ...(position !== null && deaths !== undefined && { deaths }),
    }
    return dueAt > now
      ? { ...rest, setAt: now }
      : { ...rest, dueAt: position ?? dueAt, ready: true }
  }

  #later(job: JobRecord, now: number, push: Push | undefined): JobRecord {
    return {
      ...job,
      dueAt: now + retryDelay(job.attempt, this.#random(1)),
      setAt: now,
      lease: null,
      ...push,
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

/** A push that came while the job was held. */
type Push = Required<Pick<JobRecord, 'again'>> & Pick<JobRecord, 'againSetAt'>

function withoutPush({ again, againSetAt, ...job }: JobRecord): [JobRecord, Push | undefined] {
  if (again === undefined) return [job, undefined]
  return [job, { again, ...(againSetAt !== undefined && { againSetAt }) }]
}

/**
 * The time at which a push is due. The clock that set it may be ahead, so the push waits no longer
 * than was intended.
 */
function dueOf({ again, againSetAt = again }: Push, now: number): number {
  return againSetAt < again ? Math.min(again, now + again - againSetAt) : again
}
