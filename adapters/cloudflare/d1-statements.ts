import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import type { D1Database, D1Statement } from './bindings.ts'
import { MOST_CHARACTERS, partedCommit } from '../common/sqlite/parts.ts'

const LIVE = '(e.expires_at IS NULL OR e.expires_at > ?2)'
const VERSION = `(SELECT value FROM seine_meta WHERE name = 'version')`
const OR_REPLACE =
  'ON CONFLICT (key) DO UPDATE ' +
  'SET value = excluded.value, version = excluded.version, expires_at = excluded.expires_at'

/** Part of the error message that ends a batch whose checks do not hold. */
export const CONFLICT = 'seine_conflict'
/**
 * Part of the error message that ends a batch that adds to a value other than a number, or
 * overflows.
 */
export const NO_NUMBER = 'seine_no_number'

/**
 * Fails with `word` in its message if rows are found. An invalid JSON path is the only error that a
 * query can cause.
 */
const failIf = (query: string, word: string): string =>
  `SELECT json_extract('{}', CASE WHEN EXISTS (${query}) THEN '${word}' ELSE '$' END)`

const CHECK = failIf(
  `SELECT 1 FROM json_each(?1) c
  LEFT JOIN seine_entries e ON e.key = c.value ->> 0 AND ${LIVE}
  WHERE e.version IS NOT c.value ->> 1`,
  CONFLICT,
)
const COUNTER = `seine_entries e ON e.key = a.value ->> 0 AND ${LIVE}`
const SUM = `(coalesce(json_extract(e.value, '$'), 0) + (a.value ->> 2))`
const COUNTABLE = failIf(
  `SELECT 1 FROM json_each(?1) a JOIN ${COUNTER}
  WHERE json_type(e.value) NOT IN ('integer', 'real') OR abs(${SUM}) > 1.7976931348623157e308`,
  NO_NUMBER,
)
const NEXT_VERSION = `UPDATE seine_meta SET value = value + 1 WHERE name = 'version'`
const DELETE = 'DELETE FROM seine_entries WHERE key IN (SELECT value FROM json_each(?1))'
const SET = `INSERT INTO seine_entries (key, collection, value, version, expires_at)
  SELECT value ->> 0, value ->> 1, value ->> 2, ${VERSION}, value ->> 3
  FROM json_each(?1) WHERE true ${OR_REPLACE}`
const ADD = `INSERT INTO seine_entries (key, collection, value, version, expires_at)
  SELECT a.value ->> 0, a.value ->> 1,
    CASE typeof(${SUM}) WHEN 'integer' THEN ${SUM} ELSE printf('%!.17g', ${SUM}) END,
    ${VERSION}, e.expires_at
  FROM json_each(?1) a LEFT JOIN ${COUNTER} WHERE true ${OR_REPLACE}`
const READ = `SELECT key, value, version FROM seine_entries e
  WHERE key IN (SELECT value FROM json_each(?1)) AND ${LIVE}`
const SET_PARTS = `INSERT INTO seine_parts (key, version, part, text)
  SELECT value ->> 0, ${VERSION}, value ->> 1, value ->> 2 FROM json_each(?1)`
const READ_PARTS = `SELECT key, version, text FROM seine_parts
  WHERE key IN (SELECT value FROM json_each(?1)) ORDER BY key, version, part`
const EXPIRE = `DELETE FROM seine_entries
  WHERE key IN (SELECT key FROM seine_entries WHERE expires_at <= ?1 LIMIT ?2)`

/**
 * The statements of one commit. Values are passed as JSON lists, because D1 accepts at most 100
 * parameters.
 */
export function commitStatements(
  db: D1Database,
  commit: EncodedCommit,
  now: number,
): D1Statement[] {
  const { fitting, parts } = partedCommit(commit)
  const { checks, sets, deletes, adds } = fitting
  const statements: D1Statement[] = []
  const each = (sql: string, values: readonly unknown[], ...rest: readonly unknown[]): void => {
    for (const list of listsOf(values)) statements.push(db.prepare(sql).bind(list, ...rest))
  }
  each(
    CHECK,
    checks.map(({ key, version }) => [key, versionOf(version)]),
    now,
  )
  each(
    COUNTABLE,
    adds.map(({ key, collection, amount }) => [key, collection, amount]),
    now,
  )
  if (sets.length > 0 || adds.length > 0) statements.push(db.prepare(NEXT_VERSION))
  each(DELETE, deletes)
  each(
    SET,
    sets.map(({ key, collection, text, expiresAt }) => [key, collection, text, expiresAt]),
  )
  each(
    SET_PARTS,
    parts.map(({ key, part, text }) => [key, part, text]),
  )
  each(
    ADD,
    adds.map(({ key, collection, amount }) => [key, collection, amount]),
    now,
  )
  return statements
}

/** The statements that read keys. */
export function readStatements(
  db: D1Database,
  keys: readonly string[],
  now: number,
): D1Statement[] {
  return listsOf(keys).map((list) => db.prepare(READ).bind(list, now))
}

/** The statements that read the parts of values, in order. */
export function partStatements(db: D1Database, keys: readonly string[]): D1Statement[] {
  return listsOf(keys).map((list) => db.prepare(READ_PARTS).bind(list))
}

/** The statement that reads a range. */
export function listStatement(
  db: D1Database,
  over: string,
  under: string,
  now: number,
  limit: number,
  reverse: boolean,
): D1Statement {
  return db
    .prepare(
      `SELECT key, value, version FROM seine_entries e
      WHERE key > ?1 AND ${LIVE} AND key < ?3
      ORDER BY key ${reverse ? 'DESC' : 'ASC'} LIMIT ?4`,
    )
    .bind(over, now, under, limit)
}

/** The statement that removes up to `limit` expired entries. */
export function expireStatement(db: D1Database, now: number, limit: number): D1Statement {
  return db.prepare(EXPIRE).bind(now, limit)
}

/** Versions are whole numbers. Any other text is not a version of this store and matches nothing. */
function versionOf(version: string | null): number | null {
  if (version === null) return null
  return /^[1-9]\d{0,15}$/.test(version) ? Number(version) : -1
}

/** Values as JSON lists within D1's limit of length. */
function listsOf(values: readonly unknown[]): string[] {
  const lists: string[] = []
  let parts: string[] = []
  let length = 0
  for (const value of values) {
    const text = JSON.stringify(value)
    if (parts.length > 0 && length + text.length > MOST_CHARACTERS) {
      lists.push(`[${parts.join()}]`)
      parts = []
      length = 0
    }
    parts.push(text)
    length += text.length + 1
  }
  if (parts.length > 0) lists.push(`[${parts.join()}]`)
  return lists
}
