import { HANDLER_OPTIONS } from '../common/serve/run-server.ts'
import { callback, checkOptions } from '../../src/kernel/options.ts'
import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { mountPath } from '../../src/kernel/http/base-url.ts'
import { createProxyReader } from '../../src/kernel/http/client-address.ts'
import type { ProxyHeader, TrustProxy } from '../../src/kernel/http/client-address.ts'
import type { HttpContext, LazyRequest, Outgoing } from '../../src/kernel/http/message.ts'
import { ClientWatch } from './client-watch.ts'
import { NodeRequest } from './node-request.ts'
import { InvalidRequest, toWebRequest } from './web-request.ts'
import { sendReply, sendWebResponse } from './web-response.ts'

/** Facts about a request that only the server knows. */
export type FetchContext = HttpContext

/** A web handler: `platform.fetch`, or any other such as a Hono app's `fetch`. */
export interface FetchHandler {
  (request: Request, context: FetchContext): Response | Promise<Response>
  /**
   * An addition to `platform.fetch`: the same without a `Request` and a `Response`, which take
   * longer to create than most calls.
   */
  readonly reply?: (request: LazyRequest, context: FetchContext) => Promise<Outgoing>
}

/** Returns the client's address of a request. */
export type ClientIp = (req: IncomingMessage) => string | undefined

/** The options with their defaults. */
interface Handling {
  readonly contextOf: (req: IncomingMessage) => FetchContext
  readonly closing: AbortSignal | undefined
  readonly onError: (error: unknown) => void
}

/** Options of {@link toNodeHandler}. */
export interface NodeHandlerOptions {
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
   * Returns the client's address, if the application knows it in another way (in Express: `(req) =>
   * req.ip`). Replaces `trustProxy`.
   */
  readonly clientIp?: ClientIp
  /**
   * Aborts when the server is about to close. Event streams (`text/event-stream`) are then ended,
   * because they would not end by themselves and their readers reconnect.
   */
  readonly closing?: AbortSignal
  /**
   * Called with failures that the client sees only as an opaque 500 or a broken connection. Default
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** A listener of node:http, and a middleware of Express and Connect. */
export type NodeHandler = (req: IncomingMessage, res: ServerResponse) => void

/**
 * Turns a web handler into a node:http listener. Mounted in Express it sees the path below the
 * mount point. Mount it before body parsers, because it reads the body itself, as a stream.
 * `request.signal` aborts when the client disconnects before the answer is complete. It answers
 * every request it is given and never calls `next`. For the platform:
 * `createServer(toNodeHandler(platform.fetch))`, `express().use('/data',
 * toNodeHandler(platform.fetch))`.
 *
 * @example
 *   import { createServer } from 'node:http'
 *
 *   const hello = toNodeHandler((request) => new Response(`You asked for ${request.url}`))
 *   createServer(hello).listen(3000)
 */
export function toNodeHandler(fetch: FetchHandler, options: NodeHandlerOptions = {}): NodeHandler {
  checkOptions<NodeHandlerOptions>('toNodeHandler', options, {
    ...HANDLER_OPTIONS,
    clientIp: callback,
  })
  return nodeHandler(fetch, options)
}

/** Like {@link toNodeHandler}, for options that were checked before. */
export function nodeHandler(fetch: FetchHandler, options: NodeHandlerOptions): NodeHandler {
  const {
    trustProxy,
    proxyHeader,
    clientIp,
    closing,
    onError = (error: unknown) => console.error(error),
  } = options
  const contextOf = contextReader(trustProxy, proxyHeader, clientIp)
  return (req, res) => void handle(fetch, req, res, { contextOf, closing, onError })
}

async function handle(
  fetch: FetchHandler,
  req: IncomingMessage,
  res: ServerResponse,
  { contextOf, closing, onError }: Handling,
): Promise<void> {
  const client = new ClientWatch(req, res)
  // If the connection was busy when the server began to close, further requests of the client would
  // keep it open.
  if (closing?.aborted) res.setHeader('connection', 'close')
  try {
    const context = contextOf(req)
    const request = fetch.reply ? NodeRequest.of(req, client) : null
    let answer: Outgoing
    if (fetch.reply && request) {
      await endOfTurn()
      answer = await fetch.reply(request, context)
    } else answer = await fetch(toWebRequest(req, client.signal), context)
    if (!('text' in answer)) return sendReply(res, answer)
    client.begin()
    await sendWebResponse(res, answer, req.method === 'HEAD', closing)
  } catch (error) {
    if (client.signal.aborted) return
    if (error instanceof InvalidRequest) return refuse(res, 400, 'BAD_REQUEST', error.message)
    onError(error)
    refuse(res, 500, 'INTERNAL_SERVER_ERROR', 'Internal server error')
  }
}

let turn: Promise<void> | null = null

/**
 * Resolves when the event loop has read what its connections have for it. Each request comes in its
 * own callback. Together they take less time than one after the other (`bench/README.md`, MCP):
 * each step runs for all of them while its code is in the processor's cache, the store reads and
 * writes for all at once, and the answers leave together, so that the system wakes a client once
 * for several.
 */
function endOfTurn(): Promise<void> {
  return (turn ??= new Promise((resolve) =>
    setImmediate(() => {
      turn = null
      resolve()
    }),
  ))
}

// The platform answers its own failures. This is for other handlers, and for invalid requests.
// Details of an unknown error are not shown.
function refuse(res: ServerResponse, status: number, code: string, message: string): void {
  if (res.headersSent || res.destroyed) return void res.destroy()
  const body = JSON.stringify({ success: false, error: { code, message } })
  res
    .writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-request-id': randomUUID(),
    })
    .end(body)
}

function contextReader(
  trustProxy: TrustProxy = [],
  proxyHeader: ProxyHeader | undefined,
  clientIp: ClientIp | undefined,
): Handling['contextOf'] {
  const readProxies = createProxyReader(trustProxy, proxyHeader)
  return (req) => {
    const read = readProxies(req.socket.remoteAddress, (name) => {
      const header = req.headers[name]
      return Array.isArray(header) ? header.join(',') : header
    })
    const client = clientIp ? clientIp(req) : read.clientIp
    const mount = 'baseUrl' in req && typeof req.baseUrl === 'string' ? mountPath(req.baseUrl) : ''
    const { forwarded } = read
    return {
      ...(client !== undefined && { clientIp: client }),
      ...((mount !== '' || forwarded) && {
        forwarded: { ...forwarded, prefix: (forwarded?.prefix ?? '') + mount },
      }),
    }
  }
}
