import { decodeKey, encodeKey } from '../../src/kernel/key.ts'
import type { Key } from '../../src/kernel/key.ts'
import { TextEntry } from '../../src/kernel/text/text-entry.ts'
import type { Entry } from '../../src/ports/store.ts'
import { arrayLiteral } from './group-parameters.ts'
import type { Database, SqlStatement } from './client.ts'
import type { GroupParameters } from './group-parameters.ts'

/** The version of all writes of a group, or the positions of its failed checks, from 0. */
export type GroupOutcome = { readonly version: string } | { readonly stale: readonly number[] }

/** Expired entries deleted at once. */
export const SWEEP = 100

/** All frequent SQL of the store, for a schema whose name is already quoted. */
export class PostgresStatements {
  readonly #database: Database
  readonly #read: SqlStatement
  readonly #list: SqlStatement
  readonly #commit: SqlStatement
  readonly #sweep: SqlStatement

  constructor(database: Database, schema: string) {
    this.#database = database
    const named = (name: string, text: string): SqlStatement => ({
      name: `${schema} ${name}`,
      text,
    })
    this.#read = named(
      'read',
      `SELECT * FROM ${schema}.read_entries($1::text::text[], $2::text::double precision)`,
    )
    this.#list = named(
      'list',
      `SELECT * FROM ${schema}.list_entries(
        $1::text, $2::text, $3::text::double precision, $4::text::bigint, $5::text::boolean)`,
    )
    this.#commit = named(
      'commit',
      `SELECT ${schema}.commit_group(
        $1::text::double precision, $2::text::text[], $3::text::bigint[],
        $4::text::text[], $5::text::smallint[], $6::text::text[], $7::text::text[],
        $8::text::double precision[])`,
    )
    this.#sweep = named(
      'sweep',
      `SELECT ${schema}.sweep_entries($1::text::double precision, ${SWEEP})::text`,
    )
  }

  async read(keys: readonly Key[], now: number): Promise<(Entry | null)[]> {
    if (keys.length === 0) return []
    const encoded = keys.map(encodeKey)
    const rows = new Map(
      (await this.#database.ask(this.#read, [arrayLiteral(encoded), String(now)])).map((row) => [
        row[0],
        row,
      ]),
    )
    return encoded.map((text, i) => {
      const row = rows.get(text)
      return row ? entryOf([...(keys[i] ?? [])], row) : null
    })
  }

  async list(
    over: string,
    under: string,
    now: number,
    limit: number,
    reverse: boolean,
  ): Promise<Entry[]> {
    const rows = await this.#database.ask(this.#list, [
      over,
      under,
      String(now),
      String(limit),
      String(reverse),
    ])
    return rows.map((row) => entryOf(decodeKey(String(row[0])), row))
  }

  /** Writes a group, or nothing. */
  async commit(parameters: GroupParameters, now: number): Promise<GroupOutcome> {
    const [row] = await this.#database.ask(this.#commit, [String(now), ...parameters])
    const answer = String(row?.[0] ?? '')
    return answer.startsWith('v')
      ? { version: answer.slice(1) }
      : { stale: answer.split(',').map((position) => Number(position) - 1) }
  }

  /** Deletes up to {@link SWEEP} expired entries and returns their number. */
  async sweep(now: number): Promise<number> {
    const [row] = await this.#database.ask(this.#sweep, [String(now)])
    return Number(row?.[0])
  }
}

function entryOf(key: Key, row: readonly unknown[]): Entry {
  return new TextEntry(key, String(row[1]), String(row[2]))
}
