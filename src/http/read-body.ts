import { PlatformError, badRequest } from '../kernel/errors.ts'
import type { Incoming } from '../kernel/http/message.ts'
import { MOST_VALUES, beyondBounds, tooManyValues } from '../kernel/schema.ts'
import { readCapped } from '../kernel/http/message.ts'
import { findUnsafe } from './find-unsafe.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const PLAIN = /^(?:identity)?$/i
const decoder = new TextDecoder('utf-8', { fatal: true })
/** Bytes from which a body is parsed in a turn of the event loop, and checked in the next. */
const LARGE = 65_536
const [QUOTE, COMMA, BACKSLASH] = [0x22, 0x2c, 0x5c]

/**
 * Reads a JSON body of at most `maxBytes`; `undefined` if the request has none.
 *
 * @throws {PlatformError} 413 before more than `maxBytes` are kept, 415 for another content type or
 *   coding, 400 for what is no object of JSON, is deeper than 64 levels, has more than 30,000
 *   values, or holds numbers that JavaScript cannot keep.
 */
export async function readBody(request: Incoming, maxBytes: number): Promise<unknown> {
  const bytes = await readCapped(request, maxBytes)
  if (bytes === null) throw tooLarge(maxBytes)
  if (bytes.length === 0) return undefined
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must be JSON: send Content-Type: application/json',
      { headers: { Accept: 'application/json' } },
    )
  }
  // RFC 9110 section 15.5.16: which codings would do is told.
  if (!PLAIN.test(request.headers.get('content-encoding') ?? '')) {
    throw new PlatformError(
      'UNSUPPORTED_MEDIA_TYPE',
      'The body must not be compressed: send no Content-Encoding',
      { headers: { 'Accept-Encoding': 'identity' } },
    )
  }
  const text = textOf(bytes)
  if (bytes.length > LARGE && hasMoreCommas(text, MOST_VALUES))
    throw badRequest([{ path: '', message: `the body ${tooManyValues(MOST_VALUES)}` }])
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badRequest([{ path: '', message: 'the body must be a JSON object' }])
  const beyond = beyondBounds(value)
  if (beyond !== null) throw badRequest([{ path: '', message: `the body ${beyond}` }])
  const unsafe = findUnsafe(value)
  if (unsafe) throw badRequest([unsafe])
  if (bytes.length > LARGE) await (await import('../kernel/pace.ts')).nextTurn()
  return value
}

function textOf(bytes: Uint8Array | string): string {
  try {
    return typeof bytes === 'string' ? bytes : decoder.decode(bytes)
  } catch {
    throw badRequest([{ path: '', message: 'the body is not valid UTF-8' }])
  }
}

/**
 * Whether a text has more than `most` commas outside of its strings. To count them costs a tenth of
 * parsing it, and each stands for a value.
 */
function hasMoreCommas(text: string, most: number): boolean {
  let left = most
  for (let at = 0; at < text.length && left >= 0; at++) {
    const code = text.charCodeAt(at)
    if (code === COMMA) left--
    else if (code === QUOTE) {
      at = text.indexOf('"', at + 1)
      while (isEscaped(text, at)) at = text.indexOf('"', at + 1)
      if (at === -1) return false
    }
  }
  return left < 0
}

/**
 * Whether the quote at this place belongs to its string: an odd number of backslashes stands before
 * it.
 */
function isEscaped(text: string, at: number): boolean {
  let from = at
  while (text.charCodeAt(from - 1) === BACKSLASH) from--
  return at !== -1 && (at - from) % 2 === 1
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ path: '', message: 'the body is not valid JSON' }])
  }
}

function tooLarge(maxBytes: number): PlatformError {
  return new PlatformError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`)
}
