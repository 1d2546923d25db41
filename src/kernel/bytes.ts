/**
 * Bytes as base64 (RFC 4648 section 4), for formats that require it. The platform itself uses
 * base64url.
 */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
}

/** Bytes as base64url without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')
}

/** True if a text is canonical base64url: no padding, no white space, and no unused bits set. */
export function isBase64Url(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1 || !/^[\w-]*$/.test(text)) return false
  return (
    rest === 0 || (rest === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(text.charAt(text.length - 1))
  )
}

/** The inverse of {@link toBase64Url}. Returns `null` for a text that {@link isBase64Url} refuses. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (!isBase64Url(text)) return null
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = new Uint8Array(binary.length)
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i)
  return bytes
}

// Characters whose last four, or two, bits are zero.
const LAST_OF_TWO = 'AQgw'
const LAST_OF_THREE = 'AEIMQUYcgkosw048'

/** Joins parts, whose total length is given. A single part is returned as it is. */
export function joined<T extends Uint8Array>(
  parts: readonly T[],
  length: number,
): T | Uint8Array<ArrayBuffer> {
  const [first] = parts
  if (parts.length === 1 && first !== undefined) return first
  const bytes = new Uint8Array(length)
  let index = 0
  for (const part of parts) {
    bytes.set(part, index)
    index += part.length
  }
  return bytes
}

/**
 * Frees the memory of bytes at once, without waiting for the garbage collector. The bytes are empty
 * afterwards. Does nothing for a part of a larger buffer, or on a runtime that cannot free memory.
 */
export function giveBack({ buffer, byteLength }: Uint8Array): void {
  const isWhole = byteLength > 0 && buffer.byteLength === byteLength
  if (isWhole && buffer instanceof ArrayBuffer && CAN_GIVE_BACK) buffer.transfer(0)
}

/** Node has it from version 21 on. */
const CAN_GIVE_BACK = 'transfer' in ArrayBuffer.prototype

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/**
 * Eight hex digits of a 32-bit word, taken as unsigned. A table is ten times as fast as
 * `toString(16)`, which divides floating-point numbers.
 */
export function hex8(word: number): string {
  return `${BYTES[word >>> 24]}${BYTES[(word >>> 16) & 255]}${BYTES[(word >>> 8) & 255]}${BYTES[word & 255]}`
}
