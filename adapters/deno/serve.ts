import { checkOptions } from '../../src/kernel/options.ts'
import { refusal, webHandler } from '../common/serve/web-handler.ts'
import { HANDLER_OPTIONS, runServer, SERVE_OPTIONS } from '../common/serve/run-server.ts'
import type { RunningServer, ServeBasics } from '../common/serve/run-server.ts'
import type { WebHandler, WebHandlerOptions } from '../common/serve/web-handler.ts'

/** Options of {@link serve}: a `platform`, or just a `fetch`. */
export interface ServeOptions extends ServeBasics<WebHandler>, WebHandlerOptions {
  readonly onError?: (error: unknown) => void
}

/** The part of Deno that is used. */
declare const Deno: {
  serve(
    options: { port: number; hostname: string; onListen(): void },
    handler: (request: Request, info: DenoInfo) => Promise<Response>,
  ): { readonly addr: { readonly port: number }; shutdown(): Promise<void> }
}

interface DenoInfo {
  readonly remoteAddr: { readonly hostname?: string }
  /** Resolves when the answer has been delivered; rejects if it could not be. */
  readonly completed: Promise<void>
}

/**
 * Serves a platform (or any web handler) with `Deno.serve` and runs its worker. Rejects if it
 * cannot listen (`AddrInUse`). Deno needs `--allow-net`, and for records in a file `--allow-read
 * --allow-write --allow-env`.
 *
 * @example
 *   const server = await serve({ fetch: () => new Response('Hello'), port: 3000 })
 *   process.once('SIGTERM', () => void server.close())
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  checkOptions<ServeOptions>('serve', options, { ...SERVE_OPTIONS, ...HANDLER_OPTIONS })
  return runServer(options, async (fetch, listenAddress, closing) => {
    const answer = webHandler(fetch, {
      ...options,
      closing: options.closing ? AbortSignal.any([options.closing, closing]) : closing,
    })
    const running = new Set<(response: Response) => void>()
    const { promise: aborted, resolve: giveUp } = Promise.withResolvers<void>()
    const server = Deno.serve({ ...listenAddress, onListen() {} }, async (request, info) => {
      const webRequest = watched(request, info)
      if (webRequest === null) return refusal(400, 'BAD_REQUEST', 'The request is not valid')
      const { promise: late, resolve: answerLate } = Promise.withResolvers<Response>()
      running.add(answerLate)
      try {
        return await Promise.race([answer(webRequest.request, info.remoteAddr.hostname), late])
      } finally {
        running.delete(answerLate)
        webRequest.release()
      }
    })
    return {
      port: server.addr.port,
      stop: () => Promise.race([server.shutdown(), aborted]),
      // When Deno shuts down, it does not report late requests. So requests that take too long are
      // answered here.
      abort() {
        for (const answerLate of running)
          answerLate(refusal(503, 'SERVICE_UNAVAILABLE', 'The server is closing'))
        giveUp()
      },
    }
  })
}

/**
 * Returns the request with a signal that aborts when the client disconnects; `null` if it cannot be
 * a web request, such as TRACE. Deno's own signal also aborts after success, and Deno prints a
 * notice about it with the first request. `completed` distinguishes the two, but only once there is
 * an answer to deliver. `release` is called at that time.
 */
function watched(
  { url, method, headers, body, signal }: Request,
  { completed }: DenoInfo,
): { readonly request: Request; release(): void } | null {
  const gone = new AbortController()
  const abort = (): void => gone.abort(new DOMException('The client disconnected', 'AbortError'))
  const init: RequestInit & { readonly duplex: 'half' } = {
    method,
    headers,
    body,
    signal: gone.signal,
    duplex: 'half',
  }
  let request: Request
  try {
    request = new Request(url, init)
  } catch {
    completed.catch(() => undefined)
    return null
  }
  signal.addEventListener('abort', abort)
  completed.catch(abort)
  return { request, release: () => signal.removeEventListener('abort', abort) }
}
