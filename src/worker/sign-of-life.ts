import type { JobHandlers } from '../features/common/job.ts'
import { jobFields } from '../features/common/job.ts'
import { MOST_HELD } from '../features/operator/records.ts'
import type { HeldJob, OperatorRecords } from '../features/operator/records.ts'
import { Outage } from '../kernel/outage.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'

/** Interval, in ms, at which a worker gives a sign of life. */
const BEAT_MS = 10_000
/** Time, in ms, without a sign of life after which a worker counts as gone. */
const GONE_MS = 60_000
/** The same time for a worker that a timer calls every few minutes. */
const TICKED_GONE_MS = 5 * 60_000

/** Options of {@link SignOfLife}. */
export interface SignOfLifeOptions {
  readonly workers: OperatorRecords['workers']
  readonly commit: (change: Change) => Promise<boolean>
  readonly clock: Clock
  readonly logger: Logger
  /** Id of the worker. */
  readonly id: string
}

/** Shows operators that a worker is alive, and which jobs it holds. */
export class SignOfLife {
  readonly #options: SignOfLifeOptions
  readonly #held = new Set<HeldJob>()
  readonly #outage: Outage

  constructor(options: SignOfLifeOptions) {
    this.#options = options
    this.#outage = new Outage(options.clock, options.logger, {
      failing: 'A sign of life of the worker could not be written',
      over: 'Signs of life of the worker are written again',
    })
  }

  /** Returns the same handlers. While one of them runs, its job counts as held. */
  track(jobs: JobHandlers): JobHandlers {
    return Object.fromEntries(
      Object.entries(jobs).map(([kind, handle]) => [
        kind,
        async (data, context) => {
          const job: HeldJob = {
            id: jobFields(data, 'execution')?.execution ?? kind,
            kind,
            account: jobFields(data, 'account')?.account ?? null,
            execution: jobFields(data, 'execution')?.execution ?? null,
            since: this.#options.clock.now(),
          }
          this.#held.add(job)
          try {
            return await handle(data, context)
          } finally {
            this.#held.delete(job)
          }
        },
      ]),
    )
  }

  /** Gives signs of life until `signal` aborts, and then deletes the last one. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    const startedAt = clock.now()
    while (!signal.aborted) {
      await this.#beat(startedAt, GONE_MS)
      await clock.sleep(BEAT_MS, signal).catch(() => undefined)
    }
    await this.#write((change) => this.#options.workers.drop(change, SYSTEM, this.#options.id))
    this.#outage.ended()
  }

  /** Gives one sign of life, for a worker that is called by a timer. */
  async once(): Promise<void> {
    await this.#beat(this.#options.clock.now(), TICKED_GONE_MS)
  }

  async #beat(startedAt: number, keptMs: number): Promise<void> {
    const { workers, clock, id } = this.#options
    const now = clock.now()
    await this.#write((change) =>
      workers.put(
        change,
        SYSTEM,
        {
          id,
          startedAt,
          aliveAt: now,
          // The oldest jobs are first, because sets keep their order.
          jobs: [...this.#held].slice(0, MOST_HELD),
          holds: this.#held.size,
        },
        now + keptMs,
      ),
    )
  }

  /** Work goes on even if the sign cannot be written. */
  async #write(add: (change: Change) => void): Promise<void> {
    const change = new Change()
    add(change)
    try {
      await this.#options.commit(change)
      this.#outage.worked()
    } catch (error) {
      this.#outage.failed(error)
    }
  }
}
