import { DIGEST_LENGTH } from '../../kernel/crypto.ts'
import type { Digest } from '../../kernel/crypto.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { hex8 } from '../../kernel/bytes.ts'

/** Longer keys would be too long for the index of some stores. */
const MAX_LENGTH = 200
const KEPT = 100

/** Values of the key fields of a row. `null` if a key field has no value. */
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
 * The key of an item as text: the values of its key fields as a JSON list, so that 5 and "5"
 * differ. A long key is cut and ends with a digest of the whole. It does not end with a bracket as
 * a list does, so it differs from every key that is not cut.
 */
export function itemKeyOf(keyValues: readonly Json[], digest: Digest): string {
  const text = JSON.stringify(keyValues)
  return longKey(text, (whole) => digest(whole).slice(0, DIGEST_LENGTH)) ?? text
}

/** Returns the start of a text with a digest of the whole. `null`: the text is short enough. */
function longKey(text: string, digest: (text: string) => string): string | null {
  // The cut may have split a pair of surrogates.
  return text.length <= MAX_LENGTH ? null : `${text.slice(0, KEPT).toWellFormed()}#${digest(text)}`
}

/**
 * The key that a long list of key values had in earlier versions, before keys used SHA-256. `null`
 * for a short list, whose key has always been the list itself. Collisions of old keys are easy to
 * make, so a caller that finds an item by such a key must compare the values.
 */
export function oldItemKeyOf(keyValues: readonly Json[]): string | null {
  return longKey(JSON.stringify(keyValues), oldDigest)
}

/** The digest of old keys. It is fast, and it does not resist collisions. */
export function oldDigest(text: string): string {
  let a = 1779033703 ^ text.length
  let b = 3144134277 | 0
  let c = 1013904242
  let d = 2773480762 | 0
  const last = text.length - 1
  for (let i = 0; i <= last; i += 2) {
    const word = text.charCodeAt(i) | (i === last ? 0 : text.charCodeAt(i + 1) << 16)
    a = b ^ Math.imul(a ^ word, 597399067)
    b = c ^ Math.imul(b ^ word, 2869860233)
    c = d ^ Math.imul(c ^ word, 951274213)
    d = a ^ Math.imul(d ^ word, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  return `${hex8(a ^ b ^ c ^ d)}${hex8(a ^ b)}${hex8(a ^ c)}${hex8(a ^ d)}`
}
