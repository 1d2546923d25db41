import { PlatformError } from './errors.ts'
import { hex8 } from './bytes.ts'

/**
 * One part of a {@link Key}. Strings sort by their UTF-8 bytes and before numbers; numbers sort by
 * value.
 */
export type KeyPart = string | number

/** A compound key of the Store, ordered part by part. */
export type Key = readonly KeyPart[]

const END = '\x01'
const ESCAPE = '\x02'
const STRING = '\x03'
const NUMBER = '\x04'
/** Sorts after every encoded part, so `prefix + AFTER_PARTS` is the end of a prefix's range. */
const AFTER_PARTS = '\x7f'

const PLAIN = /^[\x03-\x7f]*$/
const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Encodes a key as a string whose characters are bytes (U+0001–U+00FF, never NUL), such that
 * comparing two encoded keys — by JavaScript, by SQLite's or Postgres' bytewise collation, or by
 * Redis — orders them as {@link Key} says. Every part ends with a terminator, so a key's encoding
 * starts with the encoding of each of its prefixes.
 *
 * @example
 *   encodeKey(['acme', 'tasks', 2]) < encodeKey(['acme', 'tasks', 10]) // true
 *
 * @throws {PlatformError} `BAD_REQUEST` for a number that is not finite and for a string with a
 *   lone surrogate.
 */
export function encodeKey(key: Key): string {
  let out = ''
  for (const part of key) out += typeof part === 'string' ? encodeString(part) : encodeNumber(part)
  return out
}

/** The half-open range `[from, to)` of encoded keys that have `prefix` as a proper prefix. */
export function prefixRange(prefix: Key): { from: string; to: string } {
  const from = encodeKey(prefix)
  return { from: from + ESCAPE, to: from + AFTER_PARTS }
}

/** Decodes a key; the inverse of {@link encodeKey}. */
export function decodeKey(encoded: string): Key {
  const parts: KeyPart[] = []
  let position = 0
  while (position < encoded.length) {
    const end = encoded.indexOf(END, position)
    const body = encoded.slice(position + 1, end)
    parts.push(encoded[position] === NUMBER ? decodeNumber(body) : decodeString(body))
    position = end + 1
  }
  return parts
}

function encodeString(text: string): string {
  if (PLAIN.test(text)) return STRING + text + END
  if (!text.isWellFormed())
    throw new PlatformError('BAD_REQUEST', 'A key part is not well-formed Unicode')
  let out = STRING
  for (const byte of encoder.encode(text))
    out += byte < 3 ? ESCAPE + String.fromCharCode(byte + 0x10) : String.fromCharCode(byte)
  return out + END
}

function decodeString(body: string): string {
  if (PLAIN.test(body)) return body
  const bytes: number[] = []
  for (let i = 0; i < body.length; i++)
    bytes.push(body[i] === ESCAPE ? body.charCodeAt(++i) - 0x10 : body.charCodeAt(i))
  return decoder.decode(Uint8Array.from(bytes))
}

const view = new DataView(new ArrayBuffer(8))

// Makes IEEE 754 bits sort like their numbers: all bits of a negative number are flipped, and only
// the sign bit of any other. Sixteen hex digits keep the result printable. The code uses two 32-bit
// halves, because it runs for every key of the frontier and BigInt costs ten times as much.
function encodeNumber(value: number): string {
  if (!Number.isFinite(value))
    throw new PlatformError('BAD_REQUEST', 'A key part is not a finite number')
  view.setFloat64(0, value === 0 ? 0 : value)
  const high = view.getUint32(0)
  const low = view.getUint32(4)
  const negative = high >>> 31 === 1
  return (
    NUMBER +
    hex8((negative ? ~high : high | 0x80000000) >>> 0) +
    hex8((negative ? ~low : low) >>> 0) +
    END
  )
}

function decodeNumber(body: string): number {
  const high = Number.parseInt(body.slice(0, 8), 16)
  const low = Number.parseInt(body.slice(8), 16)
  const negative = high >>> 31 === 0
  view.setUint32(0, (negative ? ~high : high & 0x7fffffff) >>> 0)
  view.setUint32(4, (negative ? ~low : low) >>> 0)
  return view.getFloat64(0)
}
