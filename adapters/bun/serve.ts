import { checkOptions } from '../../src/kernel/options.ts'
import { HANDLER_OPTIONS, runServer, SERVE_OPTIONS } from '../common/serve/run-server.ts'
import type { RunningServer, ServeBasics } from '../common/serve/run-server.ts'
import { webHandler } from '../common/serve/web-handler.ts'
import type { WebHandler, WebHandlerOptions } from '../common/serve/web-handler.ts'

/** Options of {@link serve}: a `platform`, or just a `fetch`. */
export interface ServeOptions extends ServeBasics<WebHandler>, WebHandlerOptions {
  readonly onError?: (error: unknown) => void
}

/** The part of Bun that is used. */
declare const Bun: {
  serve(options: {
    port: number
    hostname: string
    idleTimeout: number
    fetch(request: Request, server: BunServer): Promise<Response>
  }): BunServer
}

interface BunServer {
  readonly port: number
  requestIP(request: Request): { readonly address: string } | null
  stop(closeActiveConnections?: boolean): Promise<void>
}

/** Idle timeout of a connection, in seconds. Event streams and waiting agents are silent for less. */
const IDLE_SECONDS = 120

/**
 * Serves a platform (or any web handler) with `Bun.serve` and runs its worker. Rejects if it cannot
 * listen (`EADDRINUSE`).
 *
 * @example
 *   const server = await serve({ fetch: () => new Response('Hello'), port: 3000 })
 *   process.once('SIGTERM', () => void server.close())
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  checkOptions<ServeOptions>('serve', options, { ...SERVE_OPTIONS, ...HANDLER_OPTIONS })
  return runServer(options, async (fetch, address, closing) => {
    const answer = webHandler(fetch, {
      ...options,
      closing: options.closing ? AbortSignal.any([options.closing, closing]) : closing,
    })
    const server = Bun.serve({
      ...address,
      idleTimeout: IDLE_SECONDS,
      fetch: (request, bun) => answer(request, bun.requestIP(request)?.address),
    })
    return { port: server.port, stop: () => server.stop(), abort: () => server.stop(true) }
  })
}
