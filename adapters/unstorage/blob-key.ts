const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** Device names that Windows reserves as the first part of any file's name. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/
/**
 * Ends the last segment, which no other segment can, so that `a` and `a/b` are a file and a folder
 * of different names.
 */
const LEAF = '.blob'

/**
 * A blob's name as a key that every unstorage driver keeps apart from all others: lower-case
 * letters, digits, `-`, `_` and `=` in segments parted by `:`. Capital letters become `_` and the
 * small one, as file systems may not tell them apart; all else becomes `=` and two hex digits a
 * UTF-8 byte.
 *
 * @example
 *   blobKey('rows/01J/0') // 'rows:01_j:0.blob'
 */
export function blobKey(name: string): string {
  return name.split('/').map(encodeSegment).join(':') + LEAF
}

/** The inverse of {@link blobKey}; `null` for a key that it does not make. */
export function blobName(key: string): string | null {
  if (!key.endsWith(LEAF)) return null
  try {
    const name = key.slice(0, -LEAF.length).split(':').map(decodeSegment).join('/')
    return blobKey(name) === key ? name : null
  } catch {
    return null
  }
}

/** The key of the folder that contains every name with this prefix. Empty: all names. */
export function folderKey(prefix: string): string {
  return prefix.split('/').slice(0, -1).map(encodeSegment).join(':')
}

function encodeSegment(segment: string): string {
  const plain = segment.replaceAll(/[^a-z0-9-]/gu, (char) => {
    if (char === '_') return '__'
    if (/[A-Z]/.test(char)) return `_${char.toLowerCase()}`
    return hex(char)
  })
  return RESERVED.test(plain) ? hex(plain.slice(0, 1)) + plain.slice(1) : plain
}

function hex(char: string): string {
  return Array.from(encoder.encode(char), (byte) => `=${byte.toString(16).padStart(2, '0')}`).join(
    '',
  )
}

function decodeSegment(segment: string): string {
  return segment
    .replaceAll(/(?:=[0-9a-f]{2})+/g, (bytes) =>
      decoder.decode(
        Uint8Array.from(bytes.slice(1).split('='), (byte) => Number.parseInt(byte, 16)),
      ),
    )
    .replaceAll(/_(.)/g, (_, char: string) => char.toUpperCase())
}
