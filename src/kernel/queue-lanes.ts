/** How a {@link LaneLoop} looks for jobs. */
export interface LaneLoopOptions {
  /**
   * Each starts what is due in its lane, and tells in how many milliseconds to look again; `none`:
   * not before something happens here.
   */
  readonly lanes: readonly (() => Promise<number | 'none'>)[]
  /** Resolves after so many milliseconds, rejects when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
  /** The longest wait between two looks, in milliseconds. */
  readonly pollMs: number
  /** Waits may grow to so many times that while nothing happens; 1 by default: they do not. */
  readonly longestQuiet?: number
  /** Told of a look that failed; the next one comes after `pollMs`. */
  readonly onError: (error: unknown) => void
  /** Whether to stop when nothing is due and nothing runs; a look that fails then ends it. */
  readonly untilIdle: boolean
  readonly signal: AbortSignal
}

/**
 * Looks for jobs in lanes, waits for those that run, and looks again: what consumers of all queues
 * have in common.
 */
export class LaneLoop {
  readonly #options: LaneLoopOptions
  readonly #running = new Set<Promise<void>>()
  /** Something happened since the last look for jobs. */
  #woken = false
  #interrupt: (() => void) | null = null

  constructor(options: LaneLoopOptions) {
    this.#options = options
  }

  /** Resolves when it has stopped and its last job has ended. */
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
          next = await this.#look()
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

  /** Makes it look for jobs at once. */
  wake(): void {
    this.#woken = true
    this.#interrupt?.()
  }

  /**
   * A job runs until this has resolved, which it does whatever becomes of the job; then its place
   * is free.
   */
  start(job: Promise<void>): void {
    const run = job.finally(() => {
      this.#running.delete(run)
      this.wake()
    })
    this.#running.add(run)
  }

  async #look(): Promise<number | 'none'> {
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
 * How many jobs a consumer runs at once, lane by lane.
 *
 * @throws {RangeError} for a number that is no integer of at least 1
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
 * How long a job that failed waits, in ms: doubling from a second to five minutes, of which a
 * random part up to a half is left out, so that jobs that failed together part. `attempt`: 1 for
 * the first that failed. `random`: one byte.
 */
export function retryDelay(attempt: number, random: Uint8Array): number {
  const whole = Math.min(FIRST_MS * 2 ** (attempt - 1), LONGEST_MS)
  return Math.round(whole * (1 - (random[0] ?? 0) / 512))
}
