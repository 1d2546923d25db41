import type { Key } from '../../../src/kernel/key.ts'
import type { Range } from '../../../src/ports/store.ts'
import type { EncodedCommit } from '../../../src/kernel/store-encoding.ts'

/**
 * Cloudflare's databases accept texts and rows of up to 2,000,000 bytes. A character has up to
 * three bytes, and as many again in a list of JSON.
 */
export const MOST_CHARACTERS = 400_000

/**
 * The stored value of an entry whose value is in parts. It is JSON, for the SQL of views, but
 * `JSON.stringify` never writes it.
 */
export const PARTED = ' null'

/**
 * Parts belong to one version of an entry, and are deleted together with it. The table has row ids,
 * so that its index has keys but no texts.
 */
export const PARTS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS seine_parts (
    key TEXT NOT NULL COLLATE BINARY,
    version INTEGER NOT NULL,
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (key, version, part)
  ) STRICT`,
  ...['UPDATE', 'DELETE'].map(
    (event) => `CREATE TRIGGER IF NOT EXISTS seine_parts_${event.toLowerCase()}
    AFTER ${event} ON seine_entries WHEN old.value = '${PARTED}' BEGIN
      DELETE FROM seine_parts WHERE key = old.key AND version = old.version;
    END`,
  ),
]

/** A part of the value that an entry is set to. */
export interface StoredPart {
  readonly key: string
  readonly part: number
  readonly text: string
}

/** For D1: the same commit with values that all fit, and the parts of those that did not. */
export function partedCommit(commit: EncodedCommit): {
  readonly fitting: EncodedCommit
  readonly parts: readonly StoredPart[]
} {
  if (commit.sets.every(({ text }) => text.length <= MOST_CHARACTERS))
    return { fitting: commit, parts: [] }
  const parts: StoredPart[] = []
  const sets = commit.sets.map((set) => {
    if (set.text.length <= MOST_CHARACTERS) return set
    parts.push(...partsOf(set.text).map((text, part) => ({ key: set.key, part, text })))
    return { ...set, text: PARTED }
  })
  return { fitting: { ...commit, sets }, parts }
}

/** Splits a value into texts of at most `most` characters. */
export function partsOf(text: string, most = MOST_CHARACTERS): string[] {
  const parts: string[] = []
  for (let position = 0; position < text.length;) {
    let end = Math.min(position + most, text.length)
    // The two halves of a character cannot be stored separately.
    if (end < text.length && isLowSurrogate(text.charCodeAt(end))) end--
    parts.push(text.slice(position, end))
    position = end
  }
  return parts
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000
}

/** The number of entries that a list has read, and the key of the last one. */
interface ReadPart {
  readonly count: number
  readonly last: Key | undefined
}

/**
 * Fills up a list of which entries were removed while their values were read: a shorter one would
 * mean that the range has ended. `whole`: the entries that are left.
 */
export async function filledUp<T>(
  range: Range,
  whole: T[],
  { count, last }: ReadPart,
  list: (rest: Range) => Promise<T[]>,
): Promise<T[]> {
  const { limit, reverse = false } = range
  if (last === undefined || count < limit || whole.length === limit) return whole
  const rest = { ...range, [reverse ? 'before' : 'after']: last, limit: limit - whole.length }
  return [...whole, ...(await list(rest))]
}
