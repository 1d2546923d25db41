const MAX_LENGTH = 900

/** A text as a key part of bounded size: itself, or its first 900 characters with a digest of the whole. */
export function shortKey(text: string): string {
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}#${digest53(text)}`
}

// No digest against an adversary: two texts that share their first 900 characters and this are easily made. That gains nothing where
// it is used, as a copy of the text does the same: for URLs of one origin, rows with the same unique columns, and names that a host gives.
// The cache of pages compares whole URLs. Whoever needs more takes SHA-256 (`kernel/digest.ts`). Stored identities hold it.
function digest53(text: string): string {
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 2654435761)
    b = Math.imul(b ^ code, 1597334677)
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909)
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909)
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36)
}
