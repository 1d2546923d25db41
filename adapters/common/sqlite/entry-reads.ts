import { encodeRange } from '../../../src/kernel/store-encoding.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { TextEntry } from '../../../src/kernel/text/text-entry.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Range } from '../../../src/ports/store.ts'
import type { Later } from '../turn-budget.ts'
import { FairReads } from './fair-reads.ts'
import { PartedEntry } from './statements.ts'
import type { ReadEntry, SqliteStatements } from './statements.ts'

/** Options of {@link EntryReads}. */
export interface EntryReadsOptions {
  readonly statements: Pick<SqliteStatements, 'read' | 'list' | 'whole'>
  readonly clock: Pick<Clock, 'now'>
  /** Calls a function in the next turn of the event loop. */
  readonly later: Later
  /** Throws if the store is closed. */
  readonly assertOpen: () => void
  /** Called before each read. `null`: it may start now. Absent: so may every read. */
  readonly ready?: () => Promise<void> | null
  /** Runs one read. Absent: it is called. */
  readonly run?: <T>(read: () => T) => T
}

/**
 * The reads of a store on SQLite, shared between accounts ({@link FairReads}). SQLite answers
 * within the call, so a list of large values would hold the event loop until the last of them is
 * read. Each value in parts is a read of its own here, in this turn of the event loop or in a later
 * one.
 */
export class EntryReads {
  readonly #options: EntryReadsOptions
  readonly #shares: FairReads

  constructor(options: EntryReadsOptions) {
    this.#options = options
    this.#shares = new FairReads(options.later)
  }

  async get(keys: readonly Key[]): Promise<(TextEntry | null)[]> {
    const { statements, clock } = this.#options
    const key = keys[0] ?? []
    const entries = await this.#inTurn(key, keys.length, () => statements.read(keys, clock.now()))
    return this.#whole(key, entries)
  }

  async list(range: Range): Promise<TextEntry[]> {
    const { statements, clock } = this.#options
    const { prefix, limit, reverse = false } = range
    const { over, under } = encodeRange(range)
    const entries = await this.#inTurn(prefix, limit, () =>
      statements.list(over, under, clock.now(), limit, reverse),
    )
    const whole = (await this.#whole(prefix, entries)).filter((entry) => entry !== null)
    const last = entries.at(-1)?.key
    // A shorter list would mean that the range has ended.
    if (!last || entries.length < limit || whole.length === limit) return whole
    const rest = { ...range, [reverse ? 'before' : 'after']: last, limit: limit - whole.length }
    return [...whole, ...(await this.list(rest))]
  }

  /** Entries with their values. `null`: removed since, or absent. */
  async #whole(key: Key, entries: readonly (ReadEntry | null)[]): Promise<(TextEntry | null)[]> {
    const { statements, clock } = this.#options
    if (areWhole(entries)) return entries
    // Their weight says nothing about that of other entries of the collection.
    const parts = [key[0] ?? '', `${key[1] ?? ''} in parts`]
    const whole: (TextEntry | null)[] = []
    for (const entry of entries) {
      if (!(entry instanceof PartedEntry)) whole.push(entry)
      else
        whole.push(...(await this.#inTurn(parts, 1, () => [statements.whole(entry, clock.now())])))
    }
    return whole
  }

  /** Reads in this turn of the event loop if it has room, or in a later one. */
  async #inTurn<T extends ReadEntry | null>(key: Key, most: number, read: () => T[]): Promise<T[]> {
    const { assertOpen, ready, run } = this.#options
    assertOpen()
    const shared = ready?.()
    if (shared) await shared
    // Follows that wait, because until now each earlier read was counted by its result.
    const turn = this.#shares.enter(key, most)
    if (turn) {
      await turn
      assertOpen()
    }
    const entries = run ? run(read) : read()
    this.#shares.note(key, most, entries.length, charactersOf(entries))
    return entries
  }
}

function areWhole(entries: readonly (ReadEntry | null)[]): entries is (TextEntry | null)[] {
  return !entries.some((entry) => entry instanceof PartedEntry)
}

function charactersOf(entries: readonly (ReadEntry | null)[]): number {
  let characters = 0
  for (const entry of entries)
    if (entry !== null && 'json' in entry) characters += entry.json?.length ?? 0
  return characters
}
