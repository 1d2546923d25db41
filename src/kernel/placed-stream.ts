/** How slowly a reader may take what it is sent. */
export interface ReaderLimits {
  /** How long it may be behind, in ms. */
  readonly patienceMs: number
  /** What it has to take in the long run; taking it makes up for time that it was behind. */
  readonly bytesPerSecond: number
}

/** The time that readers are measured with. */
export interface ReaderClock {
  now(): number
  /** Rejects when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

/** A piece of a stream. */
export interface Piece {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Nothing follows: the place is free when this has been handed over. */
  readonly isLast?: boolean
}

/** What a {@link placedStream} is made of. */
export interface PlacedStreamOptions {
  readonly clock: ReaderClock
  readonly limits: ReaderLimits
  /** The next piece, when the reader asks for it; `null`: there is none. */
  next(): Promise<Piece | null>
  /** Frees the place: called once, however the stream ends. */
  leave(): void
  /** Ends the work behind it, where the reader leaves or is too slow. */
  cancel?(): void | Promise<void>
}

/** What a stream breaks off with whose reader took too little. */
export class SlowReaderError extends Error {
  override readonly name = 'SlowReaderError'
}

/**
 * A stream that holds a place: its pieces are made when its reader asks for them. Time in which the
 * stream waits for its reader is taken from the reader's patience, and what it takes gives some of
 * it back. Where none is left, the stream breaks off and its place is free. So a reader that takes
 * nothing goes after that time, and one that takes a trickle a little later. Time in which the
 * reader waits for the stream counts for nothing.
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

/** How long a reader may still be behind. */
class Patience {
  readonly #limits: ReaderLimits
  #left: number
  /** Since when it is the reader's turn; `null`: it is the stream's. */
  #since: number | null

  constructor(limits: ReaderLimits, now: number) {
    this.#limits = limits
    this.#left = limits.patienceMs
    this.#since = now
  }

  /**
   * When it will be over, if the reader does not ask before; `null`: not as long as it is the
   * stream's turn.
   */
  get endsAt(): number | null {
    return this.#since === null ? null : this.#since + this.#left
  }

  /** The reader has taken what it was handed. */
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

/** Resolves with `true` when the patience is over. One sleeper at a time, and none for a piece. */
async function watch(patience: Patience, clock: ReaderClock, over: AbortSignal): Promise<boolean> {
  while (!over.aborted) {
    const { endsAt } = patience
    const left = endsAt === null ? LOOK_AGAIN_MS : endsAt - clock.now()
    if (left <= 0) return true
    await clock.sleep(left, over).catch(() => {})
  }
  return false
}

/** While it is not the reader's turn. */
const LOOK_AGAIN_MS = 5_000
