import type { Json, Row } from './json.ts'
import { jsonPieces } from './json-pieces.ts'
import type { Pace } from './pace.ts'
const MAX_LENGTH = 900

/**
 * A text as a key part of bounded size: itself, or its first 900 characters with a digest of the
 * whole.
 */
export function shortKey(text: string): string {
  return text.length <= MAX_LENGTH ? text : new ShortKey().add(text).value
}

/** The same for a text in pieces, which is too long to be processed in one step. */
export class ShortKey {
  #head = ''
  #length = 0
  #a = 0xdeadbeef
  #b = 0x41c6ce57

  add(piece: string): this {
    if (this.#head.length < MAX_LENGTH) this.#head += piece.slice(0, MAX_LENGTH - this.#head.length)
    this.#length += piece.length
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < piece.length; i++) {
      const code = piece.charCodeAt(i)
      a = Math.imul(a ^ code, 2654435761)
      b = Math.imul(b ^ code, 1597334677)
    }
    this.#a = a
    this.#b = b
    return this
  }

  get value(): string {
    return this.#length <= MAX_LENGTH ? this.#head : `${this.#head}#${this.#digest()}`
  }

  // This is not a cryptographic digest: two texts with the same key are easy to make. In its uses
  // (URLs of one origin, rows with the same unique columns, names that an application chooses)
  // nobody gains by that, because a copy of the text has the same effect. The cache of pages
  // compares whole URLs. Where collisions matter, use SHA-256 (`kernel/crypto.ts`). Stored records
  // contain these keys, so they must not change.
  #digest(): string {
    let a = this.#a
    let b = this.#b
    a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
    b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
    return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36)
  }
}

/**
 * FNV-1a of 32 bits, over UTF-16 units in place of bytes. It spreads texts evenly, but is no
 * protection against collisions made on purpose. The keys of stored jobs and counters depend on it,
 * so its values must not change.
 */
export function fnv1a(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash >>> 0
}

/**
 * Returns the key of a row from its `unique` columns. Made in slices, because one value may have
 * megabytes.
 */
export async function rowKey(row: Row, unique: readonly string[], pace: Pace): Promise<string> {
  const key = new ShortKey()
  for (const piece of jsonPieces(unique.map((column): Json => row[column] ?? null))) {
    key.add(piece)
    const rest = pace.step()
    if (rest) await rest
  }
  return key.value
}
