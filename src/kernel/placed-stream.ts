/** The minimum speed of a reader. */
export interface ReaderLimits {
  /** The longest time that a reader may be behind, in ms. */
  readonly patienceMs: number
  /** The rate that a reader must sustain. Reading faster makes up for time behind. */
  readonly bytesPerSecond: number
}

/** The clock that measures readers. */
export interface ReaderClock {
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A piece of a stream. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Set on the last piece. The place becomes free when this piece is handed over. */
  readonly isLast?: boolean
}

/** Options of {@link placedStream}. */
export interface PlacedStreamOptions {
  readonly clock: ReaderClock
  readonly limits: ReaderLimits
  /** Returns the next piece, on the reader's request. `null`: the end. */
  next(): Promise<Piece | null>
  /** Frees the place. It is called once, however the stream ends. */
  leave(): void
  /** Stops producing pieces if the reader leaves or is too slow. */
  cancel?(): void | Promise<void>
}

/** The error of a stream whose reader was too slow. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError'
}

/**
 * A stream that holds a place. Its pieces are made when the reader asks for them. Time in which
 * the stream waits for its reader is subtracted from the reader's time budget, and bytes that the
 * reader takes restore some of it. When the budget is used up, the stream fails and frees its
 * place. A reader that takes nothing is dropped after that time, and a very slow reader a little
 * later. Time in which the reader waits for the stream does not count.
 */
export function placedStream({
  clock,
  limits,
  next,
  leave,
  cancel = () => {},
}: PlacedStreamOptions): ReadableStream<Uint8Array<ArrayBuffer>> {
  const over = new AbortController()
  const patience = new Patience(limits, clock.now())
  const end = (): void => {
    if (over.signal.aborted) return
    over.abort()
    leave()
  }
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start(controller) {
        void watch(patience, clock, over.signal).then((isSlow) => {
          if (!isSlow || over.signal.aborted) return
          end()
          controller.error(
            new SlowReaderError(
              `The reader took less than ${limits.bytesPerSecond} bytes a second for ${limits.patienceMs / 1_000} s`,
            ),
          )
          return cancel()
        })
      },
      async pull(controller) {
        patience.asked(clock.now())
        try {
          const piece = await next()
          if (over.signal.aborted) return
          if (piece !== null) {
            patience.handed(piece.bytes.length, clock.now())
            controller.enqueue(piece.bytes)
          }
          if (piece !== null && piece.isLast !== true) return
          end()
          controller.close()
        } catch (error) {
          end()
          throw error
        }
      },
      async cancel() {
        end()
        await cancel()
      },
    },
    { highWaterMark: 0 },
  )
}

/** The remaining time budget of the reader. */
class Patience {
  readonly #limits: ReaderLimits
  #left: number
  /** The time since which the stream waits for the reader. `null`: the reader waits for the stream. */
  #since: number | null

  constructor(limits: ReaderLimits, now: number) {
    this.#limits = limits
    this.#left = limits.patienceMs
    this.#since = now
  }

  /**
   * When the budget ends, if the reader does not read before. `null` while the reader waits for the
   * stream.
   */
  get endsAt(): number | null {
    return this.#since === null ? null : this.#since + this.#left
  }

  /** Call this when the reader has taken the last piece. */
  asked(now: number): void {
    if (this.#since !== null)
      this.#left = Math.min(this.#limits.patienceMs, this.#left - (now - this.#since))
    this.#since = null
  }

  handed(bytes: number, now: number): void {
    this.#left += (bytes / this.#limits.bytesPerSecond) * 1_000
    this.#since = now
  }
}

/**
 * Resolves with `true` when the budget is used up. There is one timer at a time, and not one per
 * piece.
 */
async function watch(patience: Patience, clock: ReaderClock, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    const { endsAt } = patience
    const left = endsAt === null ? CHECK_AGAIN_MS : endsAt - clock.now()
    if (left <= 0) return true
    await clock.sleep(left, over).catch(() => {})
  }
  return false
}

/** The budget does not shrink while the reader waits for the stream. */
const CHECK_AGAIN_MS = 5_000
