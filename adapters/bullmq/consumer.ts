import { Outage } from '../../src/kernel/outage.ts'
import {
  countPlaces,
  dealPlaces,
  findOverdue,
  lendPlaces,
} from '../../src/kernel/fair/fair-places.ts'
import { LaneLoop } from '../../src/kernel/queue-lanes.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { Logger } from '../../src/ports/logger.ts'
import type { JobHandler } from '../../src/ports/queue.ts'
import { runJob, putBack, putOff } from './run-job.ts'
import type { RunJobOptions } from './run-job.ts'
import type { LaneWorker, ActiveJob } from './lane-worker.ts'
import { JobHold } from './job-hold.ts'
import { NO_LINE } from './share-lines.ts'
import type { WaitingJob } from './share-lines.ts'

/** The places of one lane, and the source of its jobs. */
export interface ConsumerLane {
  readonly size: number
  readonly running: Set<JobHold>
  /** The line of the share that was served last; `null`: none yet. */
  last: string | null
  readonly worker: LaneWorker
  readonly runOptions: Omit<RunJobOptions, 'handler' | 'hold'>
}

/** Options of `consume`; see the Queue port. */
export interface ConsumerOptions {
  readonly lanes: readonly ConsumerLane[]
  readonly clock: Clock
  readonly pollMs: number
  readonly logger: Logger | undefined
  readonly handler: JobHandler
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/**
 * Factor by which polls become rarer while the queue is empty, because the server announces new
 * jobs.
 */
const LONGEST_QUIET = 10
/**
 * The longest time that a suspect (a job that lost its consumer) waits until no other job runs.
 * After that no other job starts before it.
 */
const PATIENCE_MS = 30_000
/** Interval at which a suspect checks again. */
const APART_MS = 1_000
/**
 * If a suspect has run alone for this long, it does not kill its process at once, so others may run
 * beside it.
 */
const ALONE_MS = 10_000

/** Interval, in ms, of the search for jobs that a process with a clock far ahead has set. */
const OVERLONG_MS = 60_000

/** A suspect, beside which no other job may run. */
interface Alone {
  readonly active: ActiveJob
  /** Called when no other job runs. */
  readonly begin: () => void
}

/** Time until the next poll, in ms. */
type Next = number | 'none'

/**
 * One `consume` call: takes due jobs, share by share, up to the places of their lane, runs them,
 * and waits for more.
 */
export class Consumer {
  readonly #options: ConsumerOptions
  readonly #loop: LaneLoop
  /** The job that must run alone. No other job is started beside it. */
  #alone: Alone | null = null
  #overlongAt: number

  constructor(options: ConsumerOptions) {
    const { lanes, clock, logger, untilIdle } = options
    this.#options = options
    // A consumer that ends when it is idle may not live until a later time.
    this.#overlongAt = clock.now() + (untilIdle ? 0 : OVERLONG_MS)
    const outage = new Outage(clock, logger, {
      failing: 'The queue could not read its jobs',
      over: 'The queue reads its jobs again',
    })
    this.#loop = new LaneLoop({
      ...options,
      lanes: [
        async () => {
          const next = await this.#poll(lanes)
          outage.worked()
          return next
        },
      ],
      longestQuiet: LONGEST_QUIET,
      sleep: (ms, signal) => clock.sleep(ms, signal),
      onError: (error) => outage.failed(error),
    })
  }

  /** Resolves when it has stopped and its last job has ended. */
  run(): Promise<void> {
    return this.#loop.run()
  }

  /** Polls at once. */
  wake(): void {
    this.#loop.wake()
  }

  async #poll(lanes: readonly ConsumerLane[]): Promise<Next> {
    let next: Next = 'none'
    const now = this.#options.clock.now()
    if (now >= this.#overlongAt) {
      this.#overlongAt = now + OVERLONG_MS
      for (const { worker } of lanes) await worker.lines.promoteOverlong(now)
    }
    for (const lane of lanes) {
      const wait = await this.#fillLane(lane)
      if (wait !== 'none') next = next === 'none' ? wait : Math.min(next, wait)
    }
    return next
  }

  /**
   * Takes due jobs while there are free places. If there is none, asks running jobs to give their
   * places back.
   */
  async #fillLane(lane: ConsumerLane): Promise<Next> {
    const { clock, signal } = this.#options
    while (!signal.aborted && !this.#alone) {
      const free = lane.size - lane.running.size
      if (free <= 0) return this.#freePlaces(lane)
      const waiting = await lane.worker.lines.first(free, lane.last, clock.now())
      const next = await (waiting.areAll
        ? this.#takeAny(lane, free)
        : this.#takeThese(
            lane,
            dealPlaces(waiting.jobs, countPlaces(lane.running), lane.last, free),
          ))
      if (next !== 'more') return next
    }
    return 'none'
  }

  /** Takes jobs in their order if no share has to wait for another. */
  async #takeAny(lane: ConsumerLane, places: number): Promise<number | 'more'> {
    for (let count = 0; count < places && this.#takesMore; count++) {
      const active = await lane.worker.take()
      if (active === null || typeof active === 'number') return this.#waitFor(lane, active)
      await this.#begin(active, lane)
    }
    return 'more'
  }

  /**
   * Takes the jobs that are next. If another consumer took one meanwhile, it is not replaced before
   * the next poll.
   */
  async #takeThese(lane: ConsumerLane, jobs: readonly WaitingJob[]): Promise<number | 'more'> {
    for (const { id } of jobs) {
      if (!this.#takesMore) break
      if (!(await lane.worker.lines.choose(id))) continue
      const active = await lane.worker.take()
      if (active === null || typeof active === 'number') return this.#waitFor(lane, active)
      // Another consumer took the chosen job, so this is the first job of the first line.
      if (active.job.priority !== NO_LINE) await putBack(active)
      else await this.#begin(active, lane)
    }
    return 'more'
  }

  get #takesMore(): boolean {
    return !this.#options.signal.aborted && !this.#alone
  }

  #waitFor({ worker }: ConsumerLane, next: number | null): number {
    worker.listen()
    return next === null ? Number.POSITIVE_INFINITY : Math.max(1, next - this.#options.clock.now())
  }

  /**
   * Asks jobs to give their places back if another share should run. Until their places are free,
   * one job of each waiting share without a place runs on a borrowed one.
   */
  async #freePlaces(lane: ConsumerLane): Promise<Next> {
    const { clock, pollMs } = this.#options
    const { size, running, last, worker } = lane
    if (running.size >= 2 * size) return 'none'
    if (![...running].some(({ yields }) => yields)) return 'none'
    const now = clock.now()
    const { jobs } = await worker.lines.first(size, last, now)
    const { over, again } = findOverdue([...running], jobs, last, now, size)
    for (const hold of over) hold.ask()
    const lent = lendPlaces([...running], jobs, last, size)
    if (lent.length === 0) return Math.min(again, pollMs)
    const before = running.size
    await this.#takeThese(lane, lent)
    // The server may return no job, for example when its queue is paused.
    return running.size > before ? 0 : Math.min(again, pollMs)
  }

  async #begin(active: ActiveJob, lane: ConsumerLane): Promise<void> {
    const now = this.#options.clock.now()
    if (active.lost === 0) this.#start(active, lane)
    else if (this.#running === 0 || now - (active.payload.apartSince ?? now) >= PATIENCE_MS)
      this.#startAlone(active, lane)
    else await putOff(active, now, APART_MS)
  }

  get #running(): number {
    return this.#options.lanes.reduce((sum, { running }) => sum + running.size, 0)
  }

  #startAlone(active: ActiveJob, lane: ConsumerLane): void {
    const { clock, lanes } = this.#options
    const others = new Promise<void>((begin) => void (this.#alone = { active, begin }))
    const ended = new AbortController()
    // Its lock is not renewed before it starts, so it must not wait longer than the lock lasts.
    const waited = clock.sleep(lane.runOptions.leaseMs / 3, ended.signal).catch(() => {})
    for (const { running } of lanes)
      for (const hold of running) if (hold.yields && !hold.asked) hold.ask()
    const hold = this.#hold(active)
    const run = Promise.race([others, waited]).then(() => {
      clock.sleep(ALONE_MS, ended.signal).then(
        () => this.#letOthersIn(active),
        () => {},
      )
      return runJob(active, { ...lane.runOptions, handler: this.#options.handler, hold })
    })
    this.#count(
      hold,
      lane,
      run.finally(() => {
        ended.abort()
        this.#letOthersIn(active)
      }),
    )
    if (this.#running === 1) this.#alone?.begin()
  }

  #letOthersIn(active: ActiveJob): void {
    if (this.#alone?.active !== active) return
    this.#alone = null
    this.#loop.wake()
  }

  #start(active: ActiveJob, lane: ConsumerLane): void {
    const hold = this.#hold(active)
    lane.last = hold.share
    this.#count(
      hold,
      lane,
      runJob(active, { ...lane.runOptions, handler: this.#options.handler, hold }),
    )
  }

  #hold(active: ActiveJob): JobHold {
    const { clock, logger } = this.#options
    return new JobHold(active, { clock, logger, onClear: () => this.#letOthersIn(active) })
  }

  #count(hold: JobHold, { running }: ConsumerLane, run: Promise<void>): void {
    running.add(hold)
    this.#loop.start(
      run.finally(() => {
        running.delete(hold)
        if (this.#running === 1) this.#alone?.begin()
      }),
    )
  }
}
