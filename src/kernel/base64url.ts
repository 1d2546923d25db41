/** Bytes as base64url without padding (RFC 4648 section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  let binary = ''
  for (const byte of bytes) binary += String.fromCharCode(byte)
  return btoa(binary)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/={1,2}$/, '')
}

/**
 * True for the one text that stands for some bytes: no padding, no white space, and no bit set that
 * belongs to no byte.
 */
export function isBase64Url(text: string): boolean {
  const rest = text.length % 4
  if (rest === 1 || !/^[\w-]*$/.test(text)) return false
  return (
    rest === 0 || (rest === 2 ? LAST_OF_TWO : LAST_OF_THREE).includes(text.charAt(text.length - 1))
  )
}

/** The inverse of {@link toBase64Url}. Strict: `null` for what {@link isBase64Url} refuses. */
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
