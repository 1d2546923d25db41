import { setImmediate } from 'node:timers'

/** Entries that are read in one turn of the event loop: a few milliseconds' work. */
const MOST_ENTRIES = 2_000
/** Characters that take as long as an entry: whoever asked for them parses them, which takes longer than to read them. */
const ENTRY_CHARACTERS = 1_000
/** Accounts that are remembered for their large entries. */
const MOST_HEAVY = 1_000

/**
 * Shares reads between accounts. SQLite answers within the call that asks, and code that waits for such an answer goes on before anything
 * else does: who reads on and on would hold all others up. So a turn of the event loop has room for so many entries. Reads
 * beyond that come in later turns, one account after the other.
 */
export class FairReads {
  readonly #most: number
  /** Who waits, by account; the first has the next turn. */
  readonly #waiting = new Map<string, { readonly entries: number; readonly begin: () => void }[]>()
  /** Of accounts whose last read had large entries: what one of these comes to. */
  readonly #heavy = new Map<string, number>()
  #entries = 0
  #isWatching = false

  constructor(most = MOST_ENTRIES) {
    this.#most = most
  }

  /** What a read of at most so many entries will come to: as much for each as in the account's last read. */
  estimate(account: string, entries: number): number {
    return entries * (this.#heavy.get(account) ?? 1)
  }

  /** Before a read that is estimated to come to so many entries. `null`: it may begin at once. */
  enter(account: string, entries: number): Promise<void> | null {
    if (this.#waiting.size === 0 && this.#entries < this.#most) {
      this.#count(entries)
      return null
    }
    this.#watch()
    return new Promise((begin) => {
      const line = this.#waiting.get(account)
      if (line) line.push({ entries, begin })
      else this.#waiting.set(account, [{ entries, begin }])
    })
  }

  /** After a read: how many entries there were, of how many characters, and what was estimated. */
  note(account: string, found: number, characters: number, estimate: number): void {
    const entries = Math.max(found, Math.floor(characters / ENTRY_CHARACTERS))
    this.#count(entries - estimate)
    if (entries > found) {
      if (this.#heavy.size >= MOST_HEAVY) this.#heavy.clear()
      this.#heavy.set(account, entries / found)
    } else if (found > 0 && this.#heavy.size > 0) this.#heavy.delete(account)
  }

  #count(entries: number): void {
    this.#entries = Math.max(0, this.#entries + entries)
    // To hear of the end of every turn would cost more than most reads: below the half, turns are counted as one.
    if (this.#entries > this.#most / 2) this.#watch()
  }

  #watch(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    setImmediate(this.#serve)
  }

  readonly #serve = (): void => {
    this.#isWatching = false
    this.#entries = 0
    for (const [account, line] of this.#waiting) {
      if (this.#entries >= this.#most) break
      const first = line.shift()
      // Its next read comes after those of all others.
      this.#waiting.delete(account)
      if (line.length > 0) this.#waiting.set(account, line)
      if (!first) continue
      this.#entries += first.entries
      first.begin()
    }
    if (this.#waiting.size > 0) this.#watch()
  }
}
