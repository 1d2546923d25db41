/** A part of some bytes: both ends are in it. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

const SINGLE = /^bytes\s*=\s*(?:(\d{1,15})\s*)?-\s*(\d{0,15})$/i

/**
 * What a `Range` header asks of a body of `size` bytes (RFC 9110 section 14.2). `null`: the whole,
 * as for none, several ranges at once, another unit, and what is malformed; `unsatisfiable`:
 * nothing that there is.
 */
export function rangeOf(header: string | null, size: number): ByteRange | 'unsatisfiable' | null {
  const [, from = '', to = ''] = (header !== null && SINGLE.exec(header.trim())) || []
  if (from === '' && to === '') return null
  if (from === '')
    return Number(to) === 0 || size === 0
      ? 'unsatisfiable'
      : { first: Math.max(0, size - Number(to)), last: size - 1 }
  const first = Number(from)
  if (to !== '' && Number(to) < first) return null
  return first >= size
    ? 'unsatisfiable'
    : { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) }
}
