import type { Key } from '../../../src/kernel/key.ts'
import { TurnBudget } from '../turn-budget.ts'
import type { Later } from '../turn-budget.ts'

/**
 * Maximum number of entries that are read in one turn of the event loop: a few milliseconds of
 * work.
 */
const MOST_ENTRIES = 2_000
/** Number of characters that count as one entry, because parsing takes longer than reading. */
const ENTRY_CHARACTERS = 500
/** An account that has read less than this share of a turn's limit does not wait for others. */
const LIGHT = 1 / 8
/** Maximum number of collections whose large entries are remembered. */
const MOST_HEAVY = 1_000

interface WaitingRead {
  readonly collection: string
  readonly most: number
  readonly begin: () => void
}

/**
 * Shares reads between accounts. SQLite answers within the call, and code that awaits the answer
 * continues before anything else. So a caller that reads continuously would block all others. So
 * the number of entries in a turn of the event loop is limited, and a large entry counts as
 * several. Further reads run in later turns, and accounts take turns. An account that reads little
 * does not wait for one that reads much, because a call with ten short reads must not wait for ten
 * full turns. The same number of entries is reserved for such reads.
 */
export class FairReads {
  readonly #most: number
  readonly #turn: TurnBudget
  /** The amount that each account has read in this turn. */
  readonly #used = new Map<string, number>()
  /** Number of entries that light accounts have read in a full turn. */
  #beyond = 0
  /** Waiting reads by account. The first account is next. */
  readonly #waiting = new Map<string, WaitingRead[]>()
  /** For collections of an account whose last read had large entries: the weight of one entry. */
  readonly #heavy = new Map<string, number>()

  constructor(later: Later, most = MOST_ENTRIES) {
    this.#most = most
    this.#turn = new TurnBudget(
      most,
      () => {
        this.#used.clear()
        this.#beyond = 0
        this.#serve()
      },
      later,
    )
  }

  /**
   * Admits a read of at most `most` entries below a key, whose first part is the account. `null`:
   * it may start at once.
   */
  enter(key: Key, most: number): Promise<void> | null {
    const account = String(key[0])
    const estimate = this.#heavy.size === 0 ? most : this.#estimate(collectionOf(key), most)
    if (this.#waiting.size === 0 && !this.#turn.isFull) {
      this.#count(account, estimate)
      return null
    }
    this.#turn.watch()
    const collection = collectionOf(key)
    if (!this.#waiting.has(account) && this.#isLight(account, collection, estimate)) {
      this.#beyond += estimate
      this.#count(account, estimate)
      return null
    }
    return new Promise((begin) => {
      const line = this.#waiting.get(account)
      if (line) line.push({ collection, most, begin })
      else this.#waiting.set(account, [{ collection, most, begin }])
    })
  }

  /**
   * Call this after the read and before another one begins, with the number of its entries and
   * characters.
   */
  note(key: Key, most: number, count: number, characters: number): void {
    const entries = Math.max(count, Math.floor(characters / ENTRY_CHARACTERS))
    // Most reads find what they expected, and no large entries.
    if (entries === most && entries === count && this.#heavy.size === 0) return
    const collection = collectionOf(key)
    this.#count(String(key[0]), entries - this.#estimate(collection, most))
    if (entries > count) {
      if (this.#heavy.size >= MOST_HEAVY) this.#heavy.clear()
      this.#heavy.set(collection, entries / count)
    } else if (this.#heavy.size > 0) this.#heavy.delete(collection)
  }

  #count(account: string, entries: number): void {
    this.#turn.add(entries)
    this.#used.set(account, (this.#used.get(account) ?? 0) + entries)
  }

  /**
   * True if an account may still read in a full turn: it has read little, and expects no large
   * entries.
   */
  #isLight(account: string, collection: string, estimate: number): boolean {
    const most = this.#most * LIGHT
    return (
      (this.#used.get(account) ?? 0) < most &&
      this.#beyond < this.#most &&
      (estimate < most || !this.#heavy.has(collection))
    )
  }

  #estimate(collection: string, most: number): number {
    return this.#heavy.size === 0 ? most : most * (this.#heavy.get(collection) ?? 1)
  }

  #serve(): void {
    for (const [account, line] of this.#waiting) {
      if (this.#turn.isFull) break
      const first = line.shift()
      // The account's next read comes after those of all others.
      this.#waiting.delete(account)
      if (line.length > 0) this.#waiting.set(account, line)
      if (!first) continue
      this.#count(account, this.#estimate(first.collection, first.most))
      first.begin()
    }
    if (this.#waiting.size > 0) this.#turn.watch()
  }
}

function collectionOf(key: Key): string {
  return `${key[0]} ${key[1]}`
}
