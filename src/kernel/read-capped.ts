import { PlatformError } from './errors.ts'
import type { Incoming } from './incoming.ts'
import { joined } from './joined.ts'

const NOTHING = new Uint8Array(0)

/**
 * The body of a request, as bytes or a text, empty where it has none; `null` before more than
 * `maxBytes` are kept, whatever its sender says of its length.
 *
 * @throws {PlatformError} 400 for one that broke off, as when its sender has left
 */
export async function readCapped(
  request: Incoming,
  maxBytes: number,
): Promise<Uint8Array | string | null> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return null
  if ('readAll' in request && request.readAll) return request.readAll(maxBytes).catch(brokenOff)
  return request.body === null ? NOTHING : readStream(request.body, maxBytes)
}

async function readStream(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array | null> {
  const reader = body.getReader()
  const chunks: Uint8Array[] = []
  let length = 0
  for (;;) {
    const { done, value } = await reader.read().catch(brokenOff)
    if (done) break
    length += value.length
    if (length > maxBytes) {
      // The rest is not wanted; whether the sender hears of it does not matter here.
      reader.cancel().catch(() => undefined)
      return null
    }
    chunks.push(value)
  }
  return joined(chunks, length)
}

function brokenOff(cause: unknown): never {
  throw new PlatformError('BAD_REQUEST', 'The body broke off before its end', { cause })
}
