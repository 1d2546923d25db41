import { DIGEST_LENGTH } from '../crypto.ts'
import type { Digest } from '../crypto.ts'

const MOST_TAGS = 100
/** One entity tag of a list, with the separator after it (RFC 9110 section 8.8.3). */
const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

/**
 * Returns a strong entity tag (RFC 9110 section 8.8.3) of a representation. It is
 * collision-resistant, because the text may contain untrusted pages. It depends on the text that is
 * sent and not on a record's version: a response may show several records, and a write must know
 * the tag of data that is not stored yet.
 */
export function etagOf(text: string, digest: Digest): string {
  return `"${digest(text).slice(0, DIGEST_LENGTH)}"`
}

/**
 * True if `If-Match` admits a representation with this tag: strong comparison, `*` for any (RFC
 * 9110 section 13.1.1).
 */
export function ifMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some(({ weak, tag }) => !weak && tag === etag)
}

/** True if `If-None-Match` names this tag: weak comparison, `*` for any (RFC 9110 section 13.1.2). */
export function ifNoneMatch(header: string, etag: string): boolean {
  return header.trim() === '*' || tagsOf(header).some(({ tag }) => tag === etag)
}

/** The tags of a list, up to the first invalid one. */
function tagsOf(header: string): { readonly weak: boolean; readonly tag: string }[] {
  const tags = []
  TAG.lastIndex = 0
  for (let match = TAG.exec(header); match && tags.length < MOST_TAGS; match = TAG.exec(header)) {
    tags.push({ weak: match[1] !== undefined, tag: match[2] ?? '' })
    if (TAG.lastIndex === header.length) break
  }
  TAG.lastIndex = 0
  return tags
}

const MOST_RANGES = 50
const MOST_ANSWERS = 200
const LONGEST_ASKED = 200
const RANGE = /^\s*([\w!#$%&'*+.^`|~-]+)\/([\w!#$%&'*+.^`|~-]+)\s*((?:;.*)?)$/
const QUALITY = /;\s*q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)/i

const answers = new Map<string, boolean>()

/**
 * True if `Accept` admits a media type (RFC 9110 section 12.5.1): the most specific range that
 * covers it decides. Without the header, or with an invalid one, anything is accepted.
 */
export function accepts(header: string | null, contentType: string): boolean {
  if (header === null || header === contentType || header.trim() === '') return true
  const cacheKey = `${contentType} ${header}`
  const cached = answers.get(cacheKey)
  if (cached !== undefined) return cached
  const answer = judge(header, contentType)
  // Clients send the same few headers, but anyone can send others, so the cache is bounded.
  if (answers.size === MOST_ANSWERS) answers.clear()
  if (cacheKey.length <= LONGEST_ASKED) answers.set(cacheKey, answer)
  return answer
}

function judge(header: string, contentType: string): boolean {
  const [type = '', subtype = ''] = (contentType.split(';')[0] ?? '')
    .trim()
    .toLowerCase()
    .split('/')
  let best = 0
  let quality = 0
  for (const text of header.split(',', MOST_RANGES)) {
    const [, major, minor, parameters = ''] = RANGE.exec(text.toLowerCase()) ?? []
    if (major === undefined) return true
    const precision =
      major === '*' && minor === '*'
        ? 1
        : major !== type
          ? 0
          : minor === '*'
            ? 2
            : minor === subtype
              ? 3
              : 0
    if (precision === 0 || precision < best) continue
    const q = Number(QUALITY.exec(parameters)?.[1] ?? 1)
    quality = precision > best ? q : Math.max(quality, q)
    best = precision
  }
  return quality > 0
}

/**
 * True if a body is longer than the request can use, as its `Content-Length` says (RFC 9110
 * 8.6): there is no need to read it.
 *
 * @param contentLength The header's value, if the response has a body.
 */
export function isTooLong(
  { whole, maxBytes }: { readonly whole?: boolean; readonly maxBytes: number },
  contentLength: string | null | undefined,
): boolean {
  return whole === true && Number(contentLength ?? 0) > maxBytes
}
