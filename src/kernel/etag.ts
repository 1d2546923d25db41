import { hex8 } from './hex.ts'

const MOST_TAGS = 100
/** One entity tag of a list, and what may follow it (RFC 9110 section 8.8.3). */
const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

/**
 * A strong entity tag (RFC 9110 section 8.8.3) of a representation: the same for the same text and, but for a chance of
 * 2^-128, for no other. Made of what is sent and not of a record's version, as an answer may show several records, and as
 * a write must name the tag of what it has not stored yet. Synchronous, since it is made for every read: WebCrypto's
 * digests cost more than the read. Not for secrets.
 */
export function etagOf(text: string): string {
  // The length tells a text from the same one with a NUL behind it.
  let a = 1779033703 ^ text.length
  let b = 3144134277 | 0
  let c = 1013904242
  let d = 2773480762 | 0
  const last = text.length - 1
  for (let i = 0; i <= last; i += 2) {
    // Two code units make a word, which halves the work.
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
  return `"${hex8(a ^ b ^ c ^ d)}${hex8(a ^ b)}${hex8(a ^ c)}${hex8(a ^ d)}"`
}

/** Whether `If-Match` admits a representation with this tag: by strong comparison, `*` any (RFC 9110 section 13.1.1). */
export function ifMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some(({ weak, tag }) => !weak && tag === etag)
}

/** Whether `If-None-Match` names this tag: by weak comparison, `*` any (RFC 9110 section 13.1.2). */
export function ifNoneMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some(({ tag }) => tag === etag)
}

/** The tags of a list, up to the first thing that is none. */
function tagsOf(header: string): { readonly weak: boolean; readonly tag: string }[] {
  const tags = []
  TAG.lastIndex = 0
  for (let found = TAG.exec(header); found && tags.length < MOST_TAGS; found = TAG.exec(header)) {
    tags.push({ weak: found[1] !== undefined, tag: found[2] ?? '' })
    if (TAG.lastIndex === header.length) break
  }
  TAG.lastIndex = 0
  return tags
}
