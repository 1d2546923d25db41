import type { Key } from '../../../src/kernel/key.ts'
import { TurnCount } from '../turn-count.ts'

/** Entries that are read in one turn of the event loop: a few milliseconds' work. */
const MOST_ENTRIES = 2_000
/**
 * Characters that take as long as an entry: whoever asked for them parses them, which takes longer
 * than to read them.
 */
const ENTRY_CHARACTERS = 1_000
/** Collections that are remembered for their large entries. */
const MOST_HEAVY = 1_000

interface WaitingRead {
  readonly collection: string
  readonly most: number
  readonly begin: () => void
}

/**
 * Shares reads between accounts. SQLite answers within the call that asks, and code that waits for
 * such an answer goes on before anything else does: who reads on and on would hold all others up.
 * So a turn of the event loop has room for so many entries, where a large one counts as many. Reads
 * beyond that come in later turns, one account after the other.
 */
export class FairReads {
  readonly #turn: TurnCount
  /** Who waits, by account; the first has the next turn. */
  readonly #waiting = new Map<string, WaitingRead[]>()
  /** Of an account's collections whose last read had large entries: what one of these counts. */
  readonly #heavy = new Map<string, number>()

  constructor(most = MOST_ENTRIES) {
    this.#turn = new TurnCount(most, () => this.#serve())
  }

  /**
   * Before a read of at most so many entries below a key, which begins with its account. `null`: it
   * may begin at once.
   */
  enter(key: Key, most: number): Promise<void> | null {
    const [account, collection] = [String(key[0]), collectionOf(key)]
    if (this.#waiting.size === 0 && !this.#turn.isFull) {
      this.#turn.add(this.#estimate(collection, most))
      return null
    }
    this.#turn.watch()
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
  note(key: Key, most: number, found: number, characters: number): void {
    const collection = collectionOf(key)
    const entries = Math.max(found, Math.floor(characters / ENTRY_CHARACTERS))
    this.#turn.add(entries - this.#estimate(collection, most))
    if (entries > found) {
      if (this.#heavy.size >= MOST_HEAVY) this.#heavy.clear()
      this.#heavy.set(collection, entries / found)
    } else if (this.#heavy.size > 0) this.#heavy.delete(collection)
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
      this.#turn.add(this.#estimate(first.collection, first.most))
      first.begin()
    }
    if (this.#waiting.size > 0) this.#turn.watch()
  }
}

function collectionOf(key: Key): string {
  return `${key[0]} ${key[1]}`
}
