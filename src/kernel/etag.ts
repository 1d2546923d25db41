import { DIGEST_LENGTH, type Digest } from './digest.ts'

const MOST_TAGS = 100
/** One entity tag of a list, and what may follow it (RFC 9110 section 8.8.3). */
const TAG = /\s*(W\/)?("[\x21\x23-\x7e\x80-\xff]*")\s*(?:,|$)/y

/**
 * A strong entity tag (RFC 9110 section 8.8.3) of a representation: the same for the same text, and
 * for no other that anybody can find, as the text may hold what a page of a stranger says. Made of
 * what is sent and not of a record's version, as an answer may show several records, and as a write
 * must name the tag of what it has not stored yet.
 */
export function etagOf(text: string, digest: Digest): string {
  return `"${digest(text).slice(0, DIGEST_LENGTH)}"`
}

/**
 * Whether `If-Match` admits a representation with this tag: by strong comparison, `*` any (RFC 9110
 * section 13.1.1).
 */
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
