import { PlatformError } from '../../kernel/errors.ts'
import { ifNoneMatch } from '../../kernel/http/headers.ts'
import { attachment } from '../common/downloads.ts'
import type { MediaFile } from './service.ts'

/** Types of images in which a browser runs no scripts. Other types are saved, or embedded in a page. */
const SHOWN = /^image\/(?:png|jpeg|gif|webp|avif|bmp|x-icon)$/

const CHUNK = 65_536

/**
 * Responds with the bytes of an item, or with a range of them. Its headers keep a browser from
 * running scripts in them.
 *
 * @throws {PlatformError} 416
 */
export async function serveMedia(
  { method, headers: requestHeaders, signal }: Request,
  file: MediaFile,
): Promise<Response> {
  const { contentType, bytes } = file
  const etag = `"${file.sha256}"`
  const headers = {
    'Content-Type': contentType.startsWith('text/') ? `${contentType}; charset=utf-8` : contentType,
    'Content-Disposition': SHOWN.test(contentType)
      ? attachment(file.name).replace(/^attachment/, 'inline')
      : attachment(file.name),
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "sandbox; default-src 'none'",
    'Cross-Origin-Resource-Policy': 'cross-origin',
    'Cache-Control': `private, max-age=${file.secondsLeft}, immutable`,
    'Accept-Ranges': 'bytes',
    ETag: etag,
  }
  const heldEtags = requestHeaders.get('if-none-match')
  if (heldEtags !== null && ifNoneMatch(heldEtags, etag))
    return new Response(null, { status: 304, headers })
  // HEAD has no ranges (RFC 9110 section 14.2) and does not need the bytes.
  if (method === 'HEAD')
    return new Response(null, { headers: { ...headers, 'Content-Length': String(bytes) } })
  const unless = requestHeaders.get('if-range')
  const range =
    unless === null || unless.trim() === etag ? rangeOf(requestHeaders.get('range'), bytes) : null
  if (range === 'unsatisfiable')
    throw new PlatformError('RANGE_NOT_SATISFIABLE', `There are only ${bytes} bytes`, {
      headers: { 'Content-Range': `bytes */${bytes}` },
    })
  const leave = await file.enter(signal)
  try {
    const body = await file.read()
    if (range === null)
      return new Response(heldBytes(file, body, leave), {
        headers: { ...headers, 'Content-Length': String(bytes) },
      })
    const { first, last } = range
    const part = body.subarray(first, last + 1)
    return new Response(heldBytes(file, part, leave), {
      status: 206,
      headers: {
        ...headers,
        'Content-Length': String(part.length),
        'Content-Range': `bytes ${first}-${last}/${bytes}`,
      },
    })
  } catch (error) {
    leave()
    throw error
  }
}

/** Streams bytes on demand. The stream holds a permit until all bytes are sent. */
function heldBytes(
  file: MediaFile,
  bytes: Uint8Array,
  leave: () => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let position = 0
  return file.stream({
    async next() {
      const piece = bytes.slice(position, (position += CHUNK))
      return { bytes: piece, isLast: position >= bytes.length }
    },
    leave,
  })
}

/** A range of bytes, both ends inclusive. */
interface ByteRange {
  readonly first: number
  readonly last: number
}

const SINGLE = /^bytes\s*=\s*(?:(\d{1,15})\s*)?-\s*(\d{0,15})$/i

/**
 * Parses a `Range` header for a body of `size` bytes (RFC 9110 section 14.2). `null`: send the
 * whole body, because the header has no range, several ranges, another unit, or is malformed.
 * `unsatisfiable`: the range is outside the body.
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
