import { createServer, type Server } from 'node:http'
import { toNodeHandler, type FetchHandler, type NodeHandlerOptions } from './handler.ts'

/** What `serve` needs of a platform. */
export interface ServedPlatform {
  fetch: FetchHandler
  readonly worker: { run(options: { readonly signal: AbortSignal }): Promise<void> }
}

/** Options of {@link serve}: a `platform`, or just a `fetch`. */
export interface ServeOptions extends NodeHandlerOptions {
  /** Served and worked: its worker runs as long as the server does. */
  readonly platform?: ServedPlatform
  /** Served instead of `platform.fetch`, such as the `fetch` of a Hono app that mounts the platform. */
  readonly fetch?: FetchHandler
  /** `false`: another process works off the queue. Default: true. */
  readonly worker?: boolean
  /** Default 3000; 0 picks a free one. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly hostname?: string
  /** How long `close` waits for running requests and the worker, in ms; default 10,000. */
  readonly closeTimeoutMs?: number
}

/** A listening server. */
export interface NodeServer {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting, ends streams of events, lets running requests and the worker's present pages end within the bound,
   * then closes what is left. Idempotent. The platform stays open: who made it closes it.
   */
  close(): Promise<void>
}

/** How often connections that have become idle are looked for while the server closes. */
const SWEEP_MS = 20

/**
 * Serves a platform (or any web handler) with node:http and runs its worker. Rejects with Node's error if it cannot
 * listen (`EADDRINUSE`, `EACCES`). With a platform: `await serve({ platform })`, and after `server.close()`, `platform.close()`.
 *
 * @example
 * const server = await serve({ fetch: () => new Response('Hello'), port: 3000 })
 * process.once('SIGTERM', () => void server.close())
 */
export async function serve(options: ServeOptions): Promise<NodeServer> {
  const { platform, port = 3000, hostname = '127.0.0.1', closeTimeoutMs = 10_000, onError = (error: unknown) => console.error(error) } = options
  const fetch = options.fetch ?? platform?.fetch
  if (!fetch) throw new TypeError('serve needs a platform or a fetch')
  const stop = new AbortController()
  const handler = toNodeHandler(fetch, { ...options, closing: options.closing ? AbortSignal.any([options.closing, stop.signal]) : stop.signal })
  let closing = false
  const server = createServer((req, res) => {
    if (closing) res.setHeader('connection', 'close')
    handler(req, res)
  })
  const bound = await listen(server, port, hostname)
  const work = platform && options.worker !== false ? platform.worker.run({ signal: stop.signal }).catch(onError) : Promise.resolve()
  let closed: Promise<void> | null = null
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${bound}`,
    port: bound,
    close() {
      closing = true
      stop.abort(new DOMException('The server is closing', 'AbortError'))
      return (closed ??= shutDown(server, work, closeTimeoutMs))
    },
  }
}

function listen(server: Server, port: number, hostname: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, hostname, () => {
      server.off('error', reject)
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

async function shutDown(server: Server, work: Promise<void>, timeoutMs: number): Promise<void> {
  const ended = new Promise<void>((resolve) => server.close(() => resolve()))
  // Node closes idle connections on close(), but one that is busy then would be kept alive for seconds.
  const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, timeoutMs)
  await Promise.race([Promise.all([ended, work]), late])
  clearTimeout(timer)
  clearInterval(sweep)
  server.closeAllConnections()
  await ended
}
