/** Options of {@link LaneLoop}. */
export interface LaneLoopOptions {
  /**
   * One function per lane. It starts the lane's due jobs and returns the time in ms until the next
   * poll. `none`: the next poll waits until something happens in this process.
   */
  readonly lanes: readonly (() => Promise<number | 'none'>)[]
  /** Resolves after this many milliseconds. Rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** The longest wait between two polls, in milliseconds. */
  readonly pollMs: number
  /** Factor up to which this wait grows while nothing happens. Default 1: it does not grow. */
  readonly longestQuiet?: number
  /** Called with the error of a failed poll. The next poll is after `pollMs`. */
  readonly onError: (error: unknown) => void
  /** If true, the loop ends when no job is due or running, and a failed poll also ends it. */
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/**
 * Polls lanes for jobs, waits for the running ones, and polls again. Consumers of all queues use
 * this loop.
 */
export class LaneLoop {
  readonly #options: LaneLoopOptions
  readonly #running = new Set<Promise<void>>()
  /** True if something happened since the last poll. */
  #woken = false
  #interrupt: (() => void) | null = null

  constructor(options: LaneLoopOptions) {
    this.#options = options
  }

  /** Resolves when the loop has stopped and its last job has ended. */
  async run(): Promise<void> {
    const { signal, untilIdle, pollMs, longestQuiet = 1, onError } = this.#options
    const onAbort = (): void => this.wake()
    signal.addEventListener('abort', onAbort)
    try {
      for (
        let quiet = 1;
        !signal.aborted;
        quiet = this.#woken ? 1 : Math.min(quiet * 2, longestQuiet)
      ) {
        this.#woken = false
        let next: number | 'none'
        try {
          next = await this.#poll()
        } catch (error) {
          if (untilIdle) throw error
          onError(error)
          next = pollMs
        }
        if (untilIdle && next !== 0 && this.#running.size === 0 && !this.#woken) return
        await this.#wait(next === 'none' ? next : Math.min(next, pollMs * quiet))
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      await Promise.all(this.#running)
    }
  }

  /** Polls for jobs at once. */
  wake(): void {
    this.#woken = true
    this.#interrupt?.()
  }

  /** Registers a running job. `job` must resolve, also when the job fails; then its place is free. */
  start(job: Promise<void>): void {
    const run = job.finally(() => {
      this.#running.delete(run)
      this.wake()
    })
    this.#running.add(run)
  }

  async #poll(): Promise<number | 'none'> {
    const looked = await Promise.allSettled(this.#options.lanes.map((fill) => fill()))
    for (const result of looked) if (result.status === 'rejected') throw result.reason
    const waits = looked.flatMap((result) =>
      result.status === 'fulfilled' && result.value !== 'none' ? [result.value] : [],
    )
    return waits.length === 0 ? 'none' : Math.min(...waits)
  }

  async #wait(ms: number | 'none'): Promise<void> {
    if (this.#woken || ms === 0) return
    const interrupt = new AbortController()
    const interrupted = new Promise<void>((resolve) => {
      interrupt.signal.addEventListener('abort', () => resolve())
    })
    this.#interrupt = () => interrupt.abort()
    if (ms === 'none') await interrupted
    else await this.#options.sleep(ms, interrupt.signal).catch(() => undefined)
    this.#interrupt = null
  }
}

/** The lanes of the Queue port. */
export const LANES = ['short', 'remote', 'long'] as const

/**
 * Returns the concurrency of a consumer, lane by lane.
 *
 * @throws {RangeError} for a concurrency that is not an integer of at least 1
 */
export function lanePlaces(
  concurrency: number | Readonly<Record<(typeof LANES)[number], number>>,
): readonly { readonly lane: (typeof LANES)[number]; readonly size: number }[] {
  return LANES.map((lane) => {
    const size = typeof concurrency === 'number' ? concurrency : concurrency[lane]
    if (!Number.isInteger(size) || size < 1)
      throw new RangeError('The concurrency is an integer of at least 1')
    return { lane, size }
  })
}

const FIRST_MS = 1_000
const LONGEST_MS = 300_000

/**
 * Delay before the retry of a failed job, in ms. It doubles from a second to five minutes, minus a
 * random part of up to a half, so that jobs that failed together do not retry together. `attempt`:
 * 1 for the first that failed. `random`: one byte.
 */
export function retryDelay(attempt: number, random: Uint8Array): number {
  const whole = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  return Math.round(whole * (1 - (random[0] ?? 0) / 512))
}
