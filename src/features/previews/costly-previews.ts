import { sha256Hex } from '../../kernel/crypto.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { MINUTE_MS } from '../../kernel/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** Maximum number of threads that a preview may end within {@link WINDOW_MS}. */
const MOST_ENDED = 2
const WINDOW_MS = 10 * MINUTE_MS
/**
 * Maximum number of previews that are remembered. When there are more, the one with the oldest last
 * ended thread is dropped.
 */
const MOST_KNOWN = 1_000

/** The threads that a preview has ended recently. */
interface Ended {
  /** The times at which it ended the last threads, in Unix ms, oldest first. */
  readonly at: readonly number[]
  /** The failure of the last page. */
  readonly why: string
}

/**
 * Remembers previews whose pages end threads of this process. Another try would end another thread,
 * and delay all pages that wait for it. This is not stored, because it concerns only the threads of
 * this process.
 */
export class CostlyPreviews {
  readonly #clock: Clock
  readonly #most: number
  readonly #ended = new Map<string, Ended>()

  constructor(clock: Clock, most = MOST_KNOWN) {
    this.#clock = clock
    this.#most = most
  }

  /** Identifies a preview by its account and its recipe, with its addresses and parameters. */
  keyOf(account: string, recipe: Json): Promise<string> {
    return sha256Hex(JSON.stringify([account, recipe]))
  }

  /** @throws {PlatformError} 422 for a preview that has recently ended too many threads */
  demand(key: string): void {
    const { at, why } = this.#ended.get(key) ?? { at: [], why: '' }
    const [first] = at
    const now = this.#clock.now()
    if (first === undefined || at.length < MOST_ENDED || now >= first + WINDOW_MS) return
    const seconds = Math.ceil((first + WINDOW_MS - now) / 1_000)
    throw new PlatformError(
      'UNPROCESSABLE_CONTENT',
      `This preview was stopped ${MOST_ENDED} times in the last ${WINDOW_MS / MINUTE_MS} minutes ` +
        `(${why}): change the recipe or the address, or try again in ${seconds} seconds`,
      { headers: { 'Retry-After': String(seconds) } },
    )
  }

  /** Call this when a preview has ended a thread. */
  note(key: string, why: string): void {
    const before = this.#ended.get(key)?.at ?? []
    // It is deleted and added again, so that it is the last entry of the map.
    this.#ended.delete(key)
    this.#ended.set(key, { at: [...before, this.#clock.now()].slice(-MOST_ENDED), why })
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= this.#most) break
      this.#ended.delete(oldest)
    }
  }
}
