import { checkOptions } from '../../../src/kernel/options.ts'
import { HANDLER_OPTIONS } from './run-server.ts'
import { createProxyReader } from '../../../src/kernel/http/client-address.ts'
import type { ProxyHeader, TrustProxy } from '../../../src/kernel/http/client-address.ts'
import type { HttpContext } from '../../../src/kernel/http/message.ts'

/** Facts about a request that only the server knows. */
export type FetchContext = HttpContext

/** A web handler: `platform.fetch`, or any other such as a Hono app's `fetch`. */
export type WebHandler = (request: Request, context: FetchContext) => Response | Promise<Response>

/** Options of {@link toWebHandler}. */
export interface WebHandlerOptions {
  /**
   * The proxies in front of this server, whose headers name the client and the requested address:
   * their addresses, networks, or number. Default: none, so the socket's address is the client's. A
   * forwarded header that anyone can send must not be believed.
   */
  readonly trustProxy?: TrustProxy
  /**
   * The header that those proxies add to; default `x-forwarded-for`. With the default they must set
   * or remove `X-Forwarded-Proto`, `-Host` and `-Prefix` too: links in answers begin with them.
   */
  readonly proxyHeader?: ProxyHeader
  /**
   * Aborts when the server is about to close. Event streams (`text/event-stream`) are then ended,
   * because they would not end by themselves and their readers reconnect.
   */
  readonly closing?: AbortSignal
  /** Called with failures that the client sees only as an opaque 500. Default `console.error`. */
  readonly onError?: (error: unknown) => void
}

/** Answers a request, with the address of the socket's peer. Never rejects. */
export type PeerHandler = (request: Request, peer?: string) => Promise<Response>

/**
 * Makes a handler for a server that passes web requests, as `toNodeHandler` of `seine/node` does
 * for node:http. It finds the client's address. It answers 400 for an invalid host, and an opaque
 * 500 for errors of `fetch`. It ends event streams when `closing` aborts, because they would keep
 * the server open.
 *
 * @example
 *   const stop = new AbortController()
 *   const hello = toWebHandler((request) => new Response(`You asked for ${request.url}`), {
 *     closing: stop.signal,
 *   })
 */
export function toWebHandler(fetch: WebHandler, options: WebHandlerOptions = {}): PeerHandler {
  checkOptions<WebHandlerOptions>('toWebHandler', options, HANDLER_OPTIONS)
  return webHandler(fetch, options)
}

/** Like {@link toWebHandler}, for options that were checked before. */
export function webHandler(fetch: WebHandler, options: WebHandlerOptions): PeerHandler {
  const {
    trustProxy = [],
    closing,
    proxyHeader,
    onError = (error: unknown) => console.error(error),
  } = options
  const readProxies = createProxyReader(trustProxy, proxyHeader)
  return async (request, peer) => {
    try {
      const target = addressed(request)
      if (target === null) return refusal(400, 'BAD_REQUEST', 'The request names no valid host')
      const response = await fetch(
        target,
        readProxies(peer, (name) => request.headers.get(name)),
      )
      return closing ? endingWith(closing, response) : response
    } catch (error) {
      onError(error)
      return refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal server error')
    }
  }
}

/**
 * Ends event streams when the server closes: they would not end by themselves, and their readers
 * reconnect.
 */
function endingWith(closing: AbortSignal, response: Response): Response {
  const { body, headers } = response
  if (body === null || !/^text\/event-stream\b/i.test(headers.get('content-type') ?? ''))
    return response
  const reader = body.getReader()
  const end = (): void => void reader.cancel(closing.reason).catch(() => undefined)
  closing.addEventListener('abort', end)
  if (closing.aborted) end()
  const done = (): void => closing.removeEventListener('abort', end)
  const events = new ReadableStream<Uint8Array>({
    async pull(controller) {
      // If the reader has been cancelled, reading ends as at the end of the body.
      const part = await reader.read()
      if (!part.done) return controller.enqueue(part.value)
      done()
      controller.close()
    },
    cancel(reason) {
      done()
      return reader.cancel(reason)
    },
  })
  return new Response(events, { status: response.status, headers })
}

/** A single host in a header. Several header lines arrive as a list (RFC 9112, 3.2). */
const HOST = /^[\w.:[\]-]+$/

/**
 * Returns the request with a valid URL. `null` if it has no valid host, several hosts, or a scheme
 * other than `http:` and `https:`. Servers pass on what they received. Bun passes only a path if
 * the host was missing (as in HTTP/1.0 probes) or invalid; Deno passes anything.
 */
function addressed(request: Request): Request | null {
  const { url } = request
  const host = request.headers.get('host')
  if (url.startsWith('/')) return host ? null : new Request(`http://localhost${url}`, request)
  const parsed = URL.parse(url)
  if (
    parsed === null ||
    parsed.username !== '' ||
    parsed.password !== '' ||
    !/^https?:$/.test(parsed.protocol)
  )
    return null
  return !host || HOST.test(host) ? request : null
}

/** An answer of the server itself, in the platform's envelope. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json(
    { success: false, error: { code, message } },
    { status, headers: { 'x-request-id': crypto.randomUUID() } },
  )
}
