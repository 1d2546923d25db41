import { DIGEST_LENGTH } from '../../kernel/crypto.ts'
import type { Digest } from '../../kernel/crypto.ts'
import type { Json, Row } from '../../kernel/json.ts'

/** Longer keys would be too long for the index of some stores. */
const MAX_LENGTH = 200
const KEPT = 100

/** Values of the key fields of a row; `null` if one has none. */
export function keyValuesOf(row: Row, keyFields: readonly string[]): readonly Json[] | null {
  const values: Json[] = []
  for (const field of keyFields) {
    const value = Object.hasOwn(row, field) ? row[field] : null
    if (value === null || value === undefined || value === '') return null
    values.push(value)
  }
  return values
}

/**
 * The key of an item as a text: the values of its key fields as a JSON list, so that 5 and "5" are
 * two. A long one is its beginning with a digest of the whole; it ends unlike any list, so that it
 * is nobody else's key.
 */
export function itemKeyOf(keyValues: readonly Json[], digest: Digest): string {
  const text = JSON.stringify(keyValues)
  return longKey(text, (whole) => digest(whole).slice(0, DIGEST_LENGTH)) ?? text
}

/** The beginning of a text with a digest of the whole; `null` for one that is short enough as it is. */
export function longKey(text: string, digest: (text: string) => string): string | null {
  // A pair of surrogates may have been cut in two.
  return text.length <= MAX_LENGTH ? null : `${text.slice(0, KEPT).toWellFormed()}#${digest(text)}`
}
