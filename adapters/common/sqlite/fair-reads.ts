import type { Key } from '../../../src/kernel/key.ts'
import { TurnBudget } from '../turn-budget.ts'

/** Entries that are read in one turn of the event loop: a few milliseconds' work. */
const MOST_ENTRIES = 2_000
/** Characters that count as one entry: the caller parses them, which takes longer than reading them. */
const ENTRY_CHARACTERS = 500
/** An account that has read less than this part of a turn's room does not wait for others. */
const LIGHT = 1 / 8
/** Collections that are remembered for their large entries. */
const MOST_HEAVY = 1_000

interface WaitingRead {
  readonly collection: string
  readonly most: number
  readonly begin: () => void
}

/**
 * Shares reads between accounts. SQLite answers within the call, and code that waits for the answer
 * continues before anything else, so a caller that reads on and on would block all others. So a
 * turn of the event loop has room for a number of entries; a large entry counts as several. Further
 * reads run in later turns, accounts one after the other. An account that reads little goes on at
 * once beside one that reads much: a call of ten short reads must not wait for ten full turns. As
 * much room again is kept for such reads.
 */
export class FairReads {
  readonly #most: number
  readonly #turn: TurnBudget
  /** How much each account has read in this turn. */
  readonly #used = new Map<string, number>()
  /** Entries of light accounts that were read in a full turn. */
  #beyond = 0
  /** Waiting reads by account; the first account has the next turn. */
  readonly #waiting = new Map<string, WaitingRead[]>()
  /** For collections of an account whose last read had large entries: how much one entry counts. */
  readonly #heavy = new Map<string, number>()

  constructor(most = MOST_ENTRIES) {
    this.#most = most
    this.#turn = new TurnBudget(most, () => {
      this.#used.clear()
      this.#beyond = 0
      this.#serve()
    })
  }

  /**
   * Admits a read of at most `most` entries below a key, which begins with its account. `null`: it
   * may start at once.
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
   * After that read, before another one begins: how many entries there were, and of how many
   * characters.
   */
  note(key: Key, most: number, count: number, characters: number): void {
    const entries = Math.max(count, Math.floor(characters / ENTRY_CHARACTERS))
    // Most reads find what they expected to, and nothing large.
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
      // Its next read comes after those of all others.
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
