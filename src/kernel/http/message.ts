import { PlatformError } from '../errors.ts'
import { joined } from '../bytes.ts'

/** Headers of a request; names in any case, values as `Headers` gives them. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/**
 * A request that no `Request` was made of yet, as that costs more than the work of most calls. A
 * server's adapter gives it with what it has at hand.
 */
export interface LazyRequest {
  readonly method: string
  /** As `Request.url` would be: absolute and normalised. */
  readonly url: string
  readonly headers: RequestHeaders
  readonly body: ReadableStream<Uint8Array> | null
  /** Aborts when the client leaves before the answer is complete. */
  readonly signal: AbortSignal
  /**
   * The whole body instead of `body`, where that is cheaper, as bytes or as the text that they are;
   * `null` for one of more than `maxBytes`.
   */
  readonly readAll?: (maxBytes: number) => Promise<Uint8Array | string | null>
  /** The same one each time. Where the body was read before, it has none. */
  toRequest(): Request
}

/** What is asked. Most calls need no more than these two have in common. */
export type Incoming = Request | LazyRequest

/** The `Request` of an incoming request, for whoever was promised one. */
export function requestOf(incoming: Incoming): Request {
  return 'toRequest' in incoming ? incoming.toRequest() : incoming
}

/**
 * An answer whose body is a text, before a `Response` is made of it. A server's adapter can write
 * it as it is: its length is known, and there is no stream to read.
 */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

/** An answer: a {@link Reply}, or a `Response` where the body is made while it is sent. */
export type Outgoing = Reply | Response

/** The `Response` of an answer. */
export function responseOf(outgoing: Outgoing): Response {
  if (outgoing instanceof Response) return outgoing
  const { status, headers, body } = outgoing
  return new Response(body, { status, headers })
}

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
