import { sha256Hex } from '../../kernel/crypto.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import { MINUTE_MS } from '../../kernel/time.ts'
import type { Clock } from '../../ports/clock.ts'

/** Threads that a preview may end within {@link WINDOW_MS}. */
const MOST_ENDED = 2
const WINDOW_MS = 10 * MINUTE_MS
/** Previews that are remembered. Beyond it the one that ended a thread longest ago is forgotten. */
const MOST_KNOWN = 1_000

/** The threads that a preview ended of late. */
interface Ended {
  /** When it ended the last threads, in Unix ms, oldest first. */
  readonly at: readonly number[]
  /** The failure of the last page. */
  readonly why: string
}

/**
 * Previews of this process that end the threads which work on their pages. The next try would end
 * another, at the cost of everyone whose pages wait for that thread. It is not stored: a process
 * that starts anew has lost no thread.
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

  /** @throws {PlatformError} 422 for a preview that ended too many threads of late */
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

  /** Notes that a preview has ended a thread. */
  note(key: string, why: string): void {
    const before = this.#ended.get(key)?.at ?? []
    // The last one is the newest of the map.
    this.#ended.delete(key)
    this.#ended.set(key, { at: [...before, this.#clock.now()].slice(-MOST_ENDED), why })
    for (const oldest of this.#ended.keys()) {
      if (this.#ended.size <= this.#most) break
      this.#ended.delete(oldest)
    }
  }
}
