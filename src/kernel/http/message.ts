import { PlatformError } from '../errors.ts'
import { joined } from '../bytes.ts'
import type { Forwarded } from './base-url.ts'

/** Facts about a request that only the server knows. */
export interface HttpContext {
  /** The client's address, from the socket or a trusted proxy. */
  readonly clientIp?: string
  /**
   * The address that the client requested, as a trusted proxy reports it. Links in the answer begin
   * with it.
   */
  readonly forwarded?: Forwarded
  /** Called when the caller is identified, for logs. */
  readonly onCaller?: (caller: { readonly account: string; readonly user: string }) => void
}

/** Headers of a request; names in any case, values as `Headers` gives them. */
export type RequestHeaders = Pick<Headers, 'get' | 'has'>

/**
 * A request before a `Request` is made, which costs more than the work of most calls. A server's
 * adapter provides it.
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
   * Calls a function when the client leaves. This costs less than a listener of the signal. A
   * second call replaces the function.
   */
  readonly whenLeft?: (leave: () => void) => void
  /**
   * Reads the whole body as bytes or as text, if that is cheaper than to read `body`. Returns
   * `null` if the body has more than `maxBytes`.
   */
  readonly readAll?: (maxBytes: number) => Promise<Uint8Array | string | null>
  /** The body as a JSON object, if the caller is in this process. It may be read several times. */
  readonly parsedBody?: object | null
  /** True if the caller reads only `data` of an answer with `data`. Default: it reads the body. */
  readonly readsData?: boolean
  /** True if the caller is in this process, and reads for a stream that has its place. */
  readonly holdsStream?: boolean
  /** Returns the same `Request` each time. It has no body if the body was read before. */
  toRequest(): Request
}

/** An incoming request. Most calls need only what the two types have in common. */
export type Incoming = Request | LazyRequest

/** The `Request` of an incoming request, for code that needs one. */
export function requestOf(incoming: Incoming): Request {
  return 'toRequest' in incoming ? incoming.toRequest() : incoming
}

/**
 * A response with a text body, before a `Response` is made. A server's adapter can write it
 * directly: its length is known, and there is no stream to read.
 */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /**
   * The content of the body, for a caller in this process that would parse it. If the caller has
   * set `readsData`, there is no body.
   */
  readonly data?: object
}

/** A response: a {@link Reply}, or a `Response` whose body is made while it is sent. */
export type Outgoing = Reply | Response

/** The `Response` of an outgoing response. */
export function responseOf(outgoing: Outgoing): Response {
  if (outgoing instanceof Response) return outgoing
  const { status, headers, body } = outgoing
  return new Response(body, { status, headers })
}

const NOTHING = new Uint8Array(0)

/**
 * Reads the body of a request, as bytes or text; empty if it has no body. Returns `null` before
 * more than `maxBytes` are held, whatever length the sender declares.
 *
 * @throws {PlatformError} 400 for a body that was cut off, for example by a disconnect
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
      // The rest is not needed, and an error of this cancellation does not matter.
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

/** A body of more bytes is parsed in a turn of its own. It takes a millisecond or two. */
const ALONE = 262_144

/**
 * The turn of the event loop in which a body is parsed, as many large bodies may be complete at the
 * same time. Their senders take turns. `null`: a small body needs none.
 */
export function turnToParse(
  { length }: { readonly length: number },
  sender: () => string,
): Promise<void> | null {
  return length > ALONE ? ownTurnOf(sender(), length) : null
}

async function ownTurnOf(account: string, size: number): Promise<void> {
  await (await import('../pace.ts')).ownTurn({ account, size })
}
