import { checkOptions, required, withMethods } from '../../src/kernel/options.ts'
import { encodeCommit, encodeRange } from '../../src/kernel/store-encoding.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import { ServerTurns } from '../../src/kernel/fair/server-turns.ts'
import { decodeKey, encodeKey } from '../../src/kernel/key.ts'
import type { Key } from '../../src/kernel/key.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'
import type { Commit, Entry, Range, Store } from '../../src/ports/store.ts'
import type { D1Database, D1Result, D1Statement } from './bindings.ts'
import { D1Commits } from './d1-commits.ts'
import { D1Reads } from './d1-reads.ts'
import {
  commitStatements,
  CONFLICT,
  expireStatement,
  listStatement,
  NO_NUMBER,
  partStatements,
  readStatements,
} from './d1-statements.ts'
import { assertLayout, LAYOUT, layoutStatements } from '../common/sqlite/layout.ts'
import { filledUp, PARTED } from '../common/sqlite/parts.ts'

/** Options of {@link createD1Store}. */
export interface D1StoreOptions {
  readonly database: D1Database
  /** Decides when entries expire. Default: the system clock. */
  readonly clock?: Pick<Clock, 'now'>
}

/** Maximum number of expired entries removed with a commit. */
const SWEEP = 100
const SWEEP_EVERY_MS = 10_000

/**
 * A Store in Cloudflare D1. Any number of isolates may share the database. Each commit is one
 * batch, which D1 runs as one transaction, and its first statements are its checks. The tables and
 * views are those of `seine/sqlite`. They are made when one is first missing.
 *
 * @example
 *   const storeOf = (env: { readonly DB: D1Database }) => createD1Store({ database: env.DB })
 */
export function createD1Store(options: D1StoreOptions): Store {
  checkOptions<D1StoreOptions>('createD1Store', options, {
    database: required(withMethods('a D1 database', 'prepare', 'batch')),
    clock: withMethods('a clock', 'now'),
  })
  return new D1Store(options)
}

class D1Store implements Store {
  readonly #db: D1Database
  readonly #clock: Pick<Clock, 'now'>
  #prepared: Promise<void> | undefined
  readonly #reads = new D1Reads<Row>((keys) => this.#read(keys))
  readonly #turns = new ServerTurns()
  readonly #commits = new D1Commits((commit) => this.#write(commit))
  #sweptAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor({ database, clock = Date }: D1StoreOptions) {
    this.#db = database
    this.#clock = clock
  }

  async get(keys: readonly Key[]): Promise<(Entry | null)[]> {
    this.#assertOpen()
    const rows = await this.#reads.get(keys.map(encodeKey))
    return rows.map((row) => row && entryOf(row))
  }

  async list(range: Range): Promise<Entry[]> {
    this.#assertOpen()
    const { over, under } = encodeRange(range)
    const results = await this.#turns.list(range.prefix, () =>
      this.#run([
        listStatement(
          this.#db,
          over,
          under,
          this.#clock.now(),
          range.limit,
          range.reverse ?? false,
        ),
      ]),
    )
    const rows = results.flatMap(rowsOf)
    const entries = (await this.#whole(rows)).map(entryOf)
    const last = rows.at(-1)?.key
    const read = { count: rows.length, last: last === undefined ? last : decodeKey(last) }
    return filledUp(range, entries, read, (rest) => this.list(rest))
  }

  async commit(change: Commit): Promise<boolean> {
    this.#assertOpen()
    return this.#commits.add(encodeCommit(change))
  }

  async close(): Promise<void> {
    this.#isClosed = true
  }

  async #read(keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const statements = readStatements(this.#db, keys, this.#clock.now())
    const rows = statements.length === 0 ? [] : (await this.#run(statements)).flatMap(rowsOf)
    return new Map((await this.#whole(rows)).map((row) => [row.key, row]))
  }

  /**
   * Returns rows with all parts of their values. A row whose parts were written or removed after it
   * was read is read again.
   */
  async #whole(rows: readonly Row[]): Promise<readonly Row[]> {
    const keys = rows.flatMap(({ key, value }) => (value === PARTED ? [key] : []))
    if (keys.length === 0) return rows
    const texts = new Map<string, string>()
    for (const { key, version, text } of (await this.#run(partStatements(this.#db, keys))).flatMap(
      partsIn,
    )) {
      const name = `${version} ${key}`
      texts.set(name, (texts.get(name) ?? '') + text)
    }
    const textOf = ({ key, value, version }: Row): string | null =>
      value === PARTED ? (texts.get(`${version} ${key}`) ?? null) : value
    const late = rows.flatMap((row) => (textOf(row) === null ? [row.key] : []))
    const again: ReadonlyMap<string, Row> = late.length === 0 ? new Map() : await this.#read(late)
    return rows.flatMap((row) => {
      const value = textOf(row)
      return value === null ? (again.get(row.key) ?? []) : { ...row, value }
    })
  }

  async #write(commit: EncodedCommit): Promise<boolean> {
    const now = this.#clock.now()
    const statements = commitStatements(this.#db, commit, now)
    if (statements.length === 0) return true
    if (now - this.#sweptAt >= SWEEP_EVERY_MS) {
      this.#sweptAt = now
      statements.push(expireStatement(this.#db, now, SWEEP))
    }
    try {
      await this.#run(statements)
      return true
    } catch (error) {
      if (says(error, CONFLICT)) return false
      if (says(error, NO_NUMBER))
        throw new TypeError('A counter can only be added to a number', { cause: error })
      throw error
    }
  }

  /** Runs statements as one transaction, on tables with this version's layout. */
  async #run(statements: D1Statement[]): Promise<D1Result[]> {
    await (this.#prepared ??= this.#prepare().catch((error: unknown) => {
      this.#prepared = undefined
      throw error
    }))
    return this.#db.batch(statements)
  }

  /** Makes or migrates the tables, once per store, and refuses those of a later version. */
  async #prepare(): Promise<void> {
    if ((await this.#layout()) === LAYOUT) return
    await this.#db.batch(layoutStatements().map((sql) => this.#db.prepare(sql)))
    assertLayout(await this.#layout())
  }

  /** `null`: there are no tables yet. */
  async #layout(): Promise<unknown> {
    try {
      const [result] = await this.#db.batch([
        this.#db.prepare(`SELECT value FROM seine_meta WHERE name = 'layout'`),
      ])
      const [row] = result?.results ?? []
      return typeof row === 'object' && row !== null && 'value' in row ? row.value : null
    } catch (error) {
      if (says(error, 'no such table')) return null
      throw error
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new Error('The store is closed')
  }
}

interface Row {
  readonly key: string
  readonly value: string
  readonly version: number
}

function rowsOf({ results = [] }: D1Result): Row[] {
  return results.filter(isRow)
}

function isRow(row: unknown): row is Row {
  return (
    typeof row === 'object' && row !== null && 'key' in row && 'value' in row && 'version' in row
  )
}

function partsIn({
  results = [],
}: D1Result): { readonly key: string; readonly version: number; readonly text: string }[] {
  return results.filter(isPart)
}

function isPart(
  row: unknown,
): row is { readonly key: string; readonly version: number; readonly text: string } {
  return (
    typeof row === 'object' && row !== null && 'key' in row && 'version' in row && 'text' in row
  )
}

function entryOf({ key, value, version }: Row): Entry {
  return new TextEntry(decodeKey(key), value, String(version))
}

function says(error: unknown, words: string): boolean {
  return (
    error instanceof Error &&
    (error.message.includes(words) ||
      (error.cause instanceof Error && error.cause.message.includes(words)))
  )
}
