import { setImmediate } from 'node:timers'

/** Entries that are read in one turn of the event loop: a few milliseconds' work. */
const MOST_ENTRIES = 2_000
/** Characters of a value that take as long, with what is made of them, as one more entry. */
const CHARACTERS = 1_000

/**
 * Shares reads between accounts. SQLite answers within the call that asks, and code that waits for such an answer goes on before anything
 * else does: who reads on and on would hold all others up. So a turn of the event loop has room for so many entries, and fewer
 * where they are long. Reads beyond that come in later turns, one account after the other.
 */
export class FairReads {
  readonly #most: number
  /** Who waits, by account; the first has the next turn. */
  readonly #waiting = new Map<string, { readonly entries: number; readonly begin: () => void }[]>()
  #entries = 0

  constructor(most = MOST_ENTRIES) {
    this.#most = most
  }

  /** Before a read of at most so many entries. `null`: it may begin at once. */
  enter(account: string, entries: number): Promise<void> | null {
    if (this.#waiting.size === 0 && this.#entries < this.#most) {
      this.#entries += entries
      return null
    }
    if (this.#waiting.size === 0) setImmediate(this.#serve)
    return new Promise((begin) => {
      const line = this.#waiting.get(account)
      if (line) line.push({ entries, begin })
      else this.#waiting.set(account, [{ entries, begin }])
    })
  }

  /** What was asked for was more than there was. */
  giveBack(entries: number): void {
    this.#entries = Math.max(0, this.#entries - entries)
  }

  /** What was read is long: it takes as much of the turn as so many entries more. */
  weigh(entries: readonly ({ readonly json?: string | undefined } | null)[]): void {
    let characters = 0
    for (const entry of entries) characters += entry?.json?.length ?? 0
    this.#entries += Math.floor(characters / CHARACTERS)
  }

  /** A turn of the event loop has ended. */
  end(): void {
    if (this.#waiting.size === 0) this.#entries = 0
  }

  readonly #serve = (): void => {
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
    if (this.#waiting.size > 0) setImmediate(this.#serve)
  }
}
