import {
  callback,
  either,
  flag,
  listOf,
  nonEmpty,
  oneOf,
  whole,
  withMethods,
} from '../../../src/kernel/options.ts'
import type { OptionTypes } from '../../../src/kernel/options.ts'

/** Options of a server on any runtime. `Handler` answers requests. */
export interface ServeBasics<Handler> {
  /** The platform to serve. Its worker runs as long as the server does. */
  readonly platform?: Served<Handler>
  /** Served instead of `platform.fetch`, such as the `fetch` of a Hono app that mounts the platform. */
  readonly fetch?: Handler
  /** `false`: another process runs the jobs of the queue. Default: true. */
  readonly worker?: boolean
  /** Default 3000. 0 chooses a free one. */
  readonly port?: number
  /** Default `127.0.0.1`. */
  readonly hostname?: string
  /** How long `close` waits for running requests and the worker, in ms; default 10,000. */
  readonly closeTimeoutMs?: number
  /**
   * Called with failures that the client sees only as an opaque 500 or a broken connection. Default
   * `console.error`.
   */
  readonly onError?: (error: unknown) => void
}

/** The part of a platform that is served. */
export interface Served<Handler> {
  fetch: Handler
  readonly worker: { run(options: { readonly signal: AbortSignal }): Promise<void> }
}

/** A listening server. */
export interface RunningServer {
  /** `http://HOST:PORT`, without a slash at the end. */
  readonly url: string
  readonly port: number
  /**
   * Stops accepting, ends event streams, lets running requests and the worker's current pages
   * finish within the time limit, then closes the rest. Idempotent. It does not close the platform.
   */
  close(): Promise<void>
}

/** Types of the options of every `serve`. */
export const SERVE_OPTIONS: OptionTypes<ServeBasics<unknown>> = {
  platform: withMethods('a platform', 'fetch'),
  fetch: callback,
  worker: flag,
  port: whole(0, 65_535),
  hostname: nonEmpty,
  closeTimeoutMs: whole(0),
  onError: callback,
}

/** Types of the options of a handler behind a server. */
export const HANDLER_OPTIONS = {
  trustProxy: either(whole(0), listOf(nonEmpty)),
  proxyHeader: oneOf('x-forwarded-for', 'forwarded'),
  closing: withMethods('an AbortSignal', 'addEventListener'),
  onError: callback,
}

/** The runtime's side of a server. */
export interface Transport {
  readonly port: number
  /** Stops accepting; resolves when every running request has been answered. */
  stop(): Promise<void>
  /** Closes every connection at once. */
  abort(): void | Promise<void>
}

/**
 * Listens, runs the worker of the platform, and closes both in order. `closing` aborts when closing
 * begins.
 *
 * @throws the error of `listen`, or a `TypeError` if there is nothing to serve
 */
export async function runServer<Handler>(
  options: ServeBasics<Handler>,
  listen: (
    fetch: Handler,
    address: { readonly port: number; readonly hostname: string },
    closing: AbortSignal,
  ) => Promise<Transport>,
): Promise<RunningServer> {
  const {
    platform,
    port = 3000,
    hostname = '127.0.0.1',
    closeTimeoutMs = 10_000,
    onError = (error: unknown) => console.error(error),
  } = options
  const fetch = options.fetch ?? platform?.fetch
  if (!fetch) throw new TypeError('serve needs a platform or a fetch')
  const stop = new AbortController()
  const transport = await listen(fetch, { port, hostname }, stop.signal)
  const work =
    platform && options.worker !== false
      ? platform.worker.run({ signal: stop.signal }).catch(onError)
      : Promise.resolve()
  let closed: Promise<void> | null = null
  return {
    url: `http://${hostname.includes(':') ? `[${hostname}]` : hostname}:${transport.port}`,
    port: transport.port,
    close() {
      stop.abort(new DOMException('The server is closing', 'AbortError'))
      return (closed ??= shutDown(transport, work, closeTimeoutMs))
    },
  }
}

async function shutDown(
  transport: Transport,
  work: Promise<void>,
  timeoutMs: number,
): Promise<void> {
  let isOpen = true
  const ended = transport.stop().finally(() => {
    isOpen = false
  })
  const { promise: late, resolve: giveUp } = Promise.withResolvers<void>()
  const timer = setTimeout(giveUp, timeoutMs)
  await Promise.race([Promise.all([ended, work]), late])
  clearTimeout(timer)
  if (isOpen) await transport.abort()
  await ended
}
