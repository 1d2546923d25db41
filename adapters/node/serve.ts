import { callback, checkOptions } from '../../src/kernel/options.ts'
import { createServer, type Server } from 'node:http'
import { HANDLER_OPTIONS, runServer, SERVE_OPTIONS } from '../common/serve/run-server.ts'
import type { RunningServer, Served, ServeBasics, Transport } from '../common/serve/run-server.ts'
import { refuseUnreadable } from './refuse-unreadable.ts'
import { nodeHandler, type FetchHandler, type NodeHandlerOptions } from './handler.ts'

/** The part of a platform that `serve` needs. */
export type ServedPlatform = Served<FetchHandler>

/** Options of {@link serve}: a `platform`, or just a `fetch`. */
export interface ServeOptions extends ServeBasics<FetchHandler>, NodeHandlerOptions {
  readonly onError?: (error: unknown) => void
}

/** A listening server. */
export type NodeServer = RunningServer

/** Interval at which idle connections are closed while the server closes. */
const SWEEP_MS = 20

/**
 * Serves a platform (or any web handler) with node:http and runs its worker. Rejects with Node's
 * error if it cannot listen (`EADDRINUSE`, `EACCES`). With a platform: `await serve({ platform })`,
 * and after `server.close()`, `platform.close()`.
 *
 * @example
 *   const server = await serve({ fetch: () => new Response('Hello'), port: 3000 })
 *   process.once('SIGTERM', () => void server.close())
 */
export async function serve(options: ServeOptions): Promise<NodeServer> {
  checkOptions<ServeOptions>('serve', options, {
    ...SERVE_OPTIONS,
    ...HANDLER_OPTIONS,
    clientIp: callback,
  })
  return runServer(options, async (fetch, { port, hostname }, closing) => {
    const handler = nodeHandler(fetch, {
      ...options,
      closing: options.closing ? AbortSignal.any([options.closing, closing]) : closing,
    })
    const server = createServer((req, res) => {
      if (closing.aborted) res.setHeader('connection', 'close')
      handler(req, res)
    })
    refuseUnreadable(server)
    return transportOf(server, await listen(server, port, hostname))
  })
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

function transportOf(server: Server, port: number): Transport {
  return {
    port,
    stop() {
      // Node closes idle connections on close(). A busy connection would be kept alive for seconds.
      const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS)
      return new Promise<void>((resolve) => server.close(() => resolve())).finally(() =>
        clearInterval(sweep),
      )
    },
    abort: () => server.closeAllConnections(),
  }
}
