import { checkOptions } from '../../../src/kernel/options.ts'
import { HANDLER_OPTIONS } from './run-server.ts'
import { createClientAddress } from '../../../src/kernel/http/client-address.ts'
import type { ProxyHeader, TrustProxy } from '../../../src/kernel/http/client-address.ts'

/** What the server knows about a request beyond the request itself. */
export interface FetchContext {
  /** Address of the client, for rate limits. */
  readonly clientIp?: string
}

/** A web handler: `platform.fetch`, or any other such as a Hono app's `fetch`. */
export type WebHandler = (request: Request, context: FetchContext) => Response | Promise<Response>

/** Options of {@link toWebHandler}. */
export interface WebHandlerOptions {
  /**
   * The proxies before this server, whose header names the client: addresses, networks, or how many
   * there are. Default: none, the socket's address is the client's. A forwarded header that anyone
   * can send must not be believed.
   */
  readonly trustProxy?: TrustProxy
  /** The header that those proxies add to; default `x-forwarded-for`. */
  readonly proxyHeader?: ProxyHeader
  /**
   * Aborts when the server is about to close: answers that are streams of events
   * (`text/event-stream`) are then ended, as they have no end of their own and whoever reads them
   * comes back.
   */
  readonly closing?: AbortSignal
  /** Told of failures that the client only sees as an opaque 500; default `console.error`. */
  readonly onError?: (error: unknown) => void
}

/** Answers a request of the socket's peer, whose address it is given; never rejects. */
export type PeerHandler = (request: Request, peer?: string) => Promise<Response>

/**
 * A handler to be mounted in a server that hands over web requests, as `toNodeHandler` of
 * `seine/node` is in node:http: it knows the client's address, answers 400 for a host that is none
 * and an opaque 500 for what `fetch` throws, and ends streams of events when `closing` aborts,
 * which would keep the server open.
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

/** As {@link toWebHandler}, for options that were checked before. */
export function webHandler(fetch: WebHandler, options: WebHandlerOptions): PeerHandler {
  const {
    trustProxy,
    closing,
    proxyHeader = 'x-forwarded-for',
    onError = (error: unknown) => console.error(error),
  } = options
  const clientOf =
    trustProxy === undefined
      ? (peer: string | undefined) => peer
      : createClientAddress(trustProxy, proxyHeader)
  return async (request, peer) => {
    try {
      const asked = addressed(request)
      if (asked === null) return refusal(400, 'BAD_REQUEST', 'The request names no valid host')
      const clientIp = clientOf(peer, request.headers.get(proxyHeader))
      const response = await fetch(asked, clientIp === undefined ? {} : { clientIp })
      return closing ? endingWith(closing, response) : response
    } catch (error) {
      onError(error)
      return refusal(500, 'INTERNAL_SERVER_ERROR', 'Internal server error')
    }
  }
}

/** Streams of events have no end of their own, and whoever reads them comes back. */
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
      // Reading ends, as at the end of the body, when the reader has been cancelled.
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

/** One host as a header names it: a list is what is left of several lines (RFC 9112, 3.2). */
const HOST = /^[\w.:[\]-]+$/

/**
 * The request with an address that can be taken apart; `null` where it names no valid host,
 * several, or something else than `http:` and `https:`. Servers hand over what came: Bun a path
 * alone where there was no host (as probes by HTTP/1.0 have none) or an invalid one, Deno
 * anything.
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

/** What a server answers by itself, in the envelope of the platform. */
export function refusal(status: number, code: string, message: string): Response {
  return Response.json(
    { success: false, error: { code, message } },
    { status, headers: { 'x-request-id': crypto.randomUUID() } },
  )
}
