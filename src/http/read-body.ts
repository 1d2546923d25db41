import { PlatformError, badRequest } from '../kernel/errors.ts'
import type { Incoming } from '../kernel/incoming.ts'
import { findUnsafe } from './find-unsafe.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;\s*charset="?utf-8"?\s*)?$/i
const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of at most `maxBytes`; `undefined` if the request has none.
 *
 * @throws {PlatformError} 413 before more than `maxBytes` are kept, 415 for another content type, 400 for what is no
 * object of JSON, is deeper than 64 levels, or holds numbers that JavaScript cannot keep.
 */
export async function readBody(request: Incoming, maxBytes: number): Promise<unknown> {
  if (request.body === null) return undefined
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) throw tooLarge(maxBytes)
  const bytes = await readCapped(request.body, maxBytes)
  if (bytes.length === 0) return undefined
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) {
    throw new PlatformError('UNSUPPORTED_MEDIA_TYPE', 'The body must be JSON: send Content-Type: application/json', { headers: { Accept: 'application/json' } })
  }
  const value = parse(bytes)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw badRequest([{ path: '', message: 'the body must be a JSON object' }])
  const unsafe = findUnsafe(value)
  if (unsafe) throw badRequest([unsafe])
  return value
}

async function readCapped(body: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > maxBytes) {
      // The rest is not wanted; whether the sender hears of it does not matter here.
      reader.cancel().catch(() => undefined)
      throw tooLarge(maxBytes)
    }
    chunks.push(value)
  }
  const only = chunks[0]
  if (only && chunks.length === 1) return only
  const bytes = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    bytes.set(chunk, at)
    at += chunk.length
  }
  return bytes
}

function parse(bytes: Uint8Array): unknown {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    throw badRequest([{ path: '', message: 'the body is not valid UTF-8' }])
  }
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest([{ path: '', message: 'the body is not valid JSON' }])
  }
}

function tooLarge(maxBytes: number): PlatformError {
  return new PlatformError('PAYLOAD_TOO_LARGE', `The body is larger than ${maxBytes} bytes`)
}
