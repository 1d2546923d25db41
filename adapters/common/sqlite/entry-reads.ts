import { encodeRange } from '../../../src/kernel/store-encoding.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { TextEntry } from '../../../src/kernel/text/text-entry.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Range } from '../../../src/ports/store.ts'
import type { Later } from '../turn-budget.ts'
import { FairReads } from './fair-reads.ts'
import { filledUp } from './parts.ts'
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
    const reading = this.#inTurn(key, keys.length, () => statements.read(keys, clock.now()))
    const entries = reading instanceof Promise ? await reading : reading
    return areWhole(entries) ? entries : this.#whole(key, entries)
  }

  async list(range: Range): Promise<TextEntry[]> {
    const { statements, clock } = this.#options
    const { prefix, limit, reverse = false } = range
    const { over, under } = encodeRange(range)
    const reading = this.#inTurn(prefix, limit, () =>
      statements.list(over, under, clock.now(), limit, reverse),
    )
    const entries = reading instanceof Promise ? await reading : reading
    if (areWhole(entries)) return entries
    const whole = (await this.#whole(prefix, entries)).filter((entry) => entry !== null)
    const last = entries.at(-1)?.key
    return filledUp(range, whole, { count: entries.length, last }, (rest) => this.list(rest))
  }

  /** Entries with their values. `null`: removed since, or absent. */
  async #whole(key: Key, entries: readonly (ReadEntry | null)[]): Promise<(TextEntry | null)[]> {
    const { statements, clock } = this.#options
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

  /**
   * Reads in this turn of the event loop if it has room, or in a later one. Most reads are small
   * and have it, so that none of them waits for a promise.
   */
  #inTurn<T extends ReadEntry | null>(key: Key, most: number, read: () => T[]): T[] | Promise<T[]> {
    const { assertOpen, ready } = this.#options
    assertOpen()
    const shared = ready?.()
    if (shared) return shared.then(() => this.#afterTurn(key, most, read))
    return this.#afterTurn(key, most, read)
  }

  /** Follows `ready`, because until then each earlier read was counted by its result. */
  #afterTurn<T extends ReadEntry | null>(
    key: Key,
    most: number,
    read: () => T[],
  ): T[] | Promise<T[]> {
    const turn = this.#shares.enter(key, most)
    if (!turn) return this.#read(key, most, read)
    return turn.then(() => {
      this.#options.assertOpen()
      return this.#read(key, most, read)
    })
  }

  #read<T extends ReadEntry | null>(key: Key, most: number, read: () => T[]): T[] {
    const { run } = this.#options
    const entries = run ? run(read) : read()
    this.#shares.note(key, most, entries.length, charactersOf(entries))
    return entries
  }
}

function areWhole<T extends ReadEntry | null>(entries: T[]): entries is Exclude<T, PartedEntry>[] {
  return !entries.some((entry) => entry instanceof PartedEntry)
}

function charactersOf(entries: readonly (ReadEntry | null)[]): number {
  let characters = 0
  for (const entry of entries)
    if (entry !== null && 'json' in entry) characters += entry.json?.length ?? 0
  return characters
}
