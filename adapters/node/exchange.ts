import { request as httpRequest } from 'node:http'
import type { Agent, IncomingMessage, RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isTooLong } from '../../src/kernel/http/headers.ts'
import { FetchFailure } from '../../src/kernel/failures.ts'
import type { HopRequest, HopResponse } from '../../src/ports/fetcher.ts'
import { BodyCollector } from './body-collector.ts'
import { ACCEPT_ENCODING, codingsOf, decode } from './content-decoding.ts'
import { cancelled, failureOf } from './fetch-errors.ts'
import { pinned } from './resolver.ts'

/** The options of the connection for an exchange. */
export interface ConnectionLimits {
  readonly agent: Agent
  readonly connectTimeoutMs: number
  readonly idleTimeoutMs: number
  /** PEM certificates to trust, for connections outside of the agent. */
  readonly ca?: string
}

const MAX_HEADER_BYTES = 64 * 1024

/**
 * One request and its whole answer, content decoded.
 *
 * @throws {FetchFailure}
 */
export async function exchange(
  hop: HopRequest,
  connection: ConnectionLimits,
): Promise<HopResponse> {
  const options = requestOptions(hop, connection)
  let answer: HopResponse
  try {
    answer = await send(hop, options, connection)
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw failureOf(error)
    // The server closed a kept connection just when it was used again. A new connection shows
    // whether the server can still be reached.
    answer = await send(
      hop,
      { ...options, agent: false, ...(connection.ca !== undefined && { ca: connection.ca }) },
      connection,
    )
  }
  const encoding = answer.headers['content-encoding']
  if (encoding === undefined || answer.body.byteLength === 0) return answer
  const codings = codingsOf(encoding)
  if (codings.length === 0) return answer
  const { body, truncated } = await decode(answer.body, codings, hop.maxBytes)
  return {
    status: answer.status,
    headers: answer.headers,
    body,
    truncated: truncated || answer.truncated,
    isOwned: true,
    ...(answer.timings && { timings: answer.timings }),
  }
}

class StaleConnection extends Error {}

function requestOptions(
  { url, method, headers, addresses }: HopRequest,
  { agent, idleTimeoutMs }: ConnectionLimits,
): RequestOptions {
  const { hostname } = url
  return {
    agent,
    method,
    protocol: url.protocol,
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    ...(url.port !== '' && { port: url.port }),
    path: url.pathname + url.search,
    headers: { host: url.host, ...headers, 'accept-encoding': ACCEPT_ENCODING },
    maxHeaderSize: MAX_HEADER_BYTES,
    // If a request has the agent's own timeout, Node keeps the timer of a reused socket, which a
    // server's `Keep-Alive: timeout=` may have made too short for a slow answer. So the request
    // asks for a slightly different timeout.
    timeout: idleTimeoutMs + 1,
    ...(addresses !== null && { lookup: pinned(addresses) }),
  }
}

function send(
  hop: HopRequest,
  options: RequestOptions,
  { connectTimeoutMs }: ConnectionLimits,
): Promise<HopResponse> {
  const { signal, maxBytes } = hop
  if (signal.aborted) return Promise.reject(cancelled())
  return new Promise((resolve, reject) => {
    const isSecure = options.protocol === 'https:'
    const request = isSecure ? httpsRequest(options) : httpRequest(options)
    const sentAt = performance.now()
    let connectMs: number | null = null
    let response: IncomingMessage | null = null
    let connectTimer: ReturnType<typeof setTimeout> | undefined
    let isSettled = false

    function settle(): boolean {
      if (isSettled) return false
      isSettled = true
      signal.removeEventListener('abort', stop)
      clearTimeout(connectTimer)
      return true
    }
    function fail(error: unknown): void {
      if (!settle()) return
      reject(error instanceof StaleConnection ? error : failureOf(error))
      request.destroy()
    }
    function stop(): void {
      fail(cancelled())
    }

    signal.addEventListener('abort', stop)
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      const isStale = isClosed && response === null && request.reusedSocket && hop.method !== 'POST'
      fail(isStale ? new StaleConnection() : error)
    })
    request.on('timeout', () => fail(new FetchFailure('timeout', 'The server stopped sending.')))
    request.on('close', () => {
      if (response === null) fail(reset())
    })
    request.on('socket', (socket) => {
      if (!socket.connecting || isSettled) return
      connectTimer = setTimeout(
        () => fail(new FetchFailure('timeout', 'The connection timed out.')),
        connectTimeoutMs,
      )
      const connectingAt = performance.now()
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        clearTimeout(connectTimer)
        connectMs = performance.now() - connectingAt
      })
    })
    request.on('response', (incoming) => {
      response = incoming
      const firstByteMs = performance.now() - sentAt
      const announced = Number(incoming.headers['content-length'] ?? 0)
      const collector = new BodyCollector(announced > 0 ? announced : 0, maxBytes)
      const finish = (truncated: boolean) => {
        if (!settle()) return
        const body = truncated && hop.whole ? new Uint8Array(0) : collector.whole()
        resolve({
          status: incoming.statusCode ?? 0,
          headers: headersOf(incoming.rawHeaders),
          body,
          truncated,
          isOwned: true,
          timings: { ...(connectMs !== null && { connectMs }), firstByteMs },
        })
        if (truncated) request.destroy()
      }
      if (
        hasBody(hop.method, incoming.statusCode) &&
        isTooLong(hop, incoming.headers['content-length'])
      )
        return finish(true)
      incoming.on('data', (chunk: Uint8Array) => {
        if (isSettled) return
        collector.add(chunk)
        if (collector.length > maxBytes) finish(true)
      })
      incoming.on('end', () => finish(false))
      incoming.on('error', fail)
      incoming.on('close', () => {
        if (!isSettled) fail(reset())
      })
    })
    request.end(hop.body)
  })
}

/** Without a body, `Content-Length` is that of another response (RFC 9110 8.6). */
function hasBody(method: string, status: number | undefined): boolean {
  return method !== 'HEAD' && status !== 304
}

function reset(): FetchFailure {
  return new FetchFailure('connection', 'The connection closed before the response was complete.')
}

// Headers with only one value. If values were joined, the result would equal neither of them.
const SINGLE = new Set(['content-length', 'content-type', 'location', 'retry-after'])

/**
 * Lower-case names with their values. Repeated values are joined with `, `; for headers with only
 * one value the first is kept.
 */
export function headersOf(rawHeaders: readonly string[]): Readonly<Record<string, string>> {
  // Without a prototype, because a server may call a header `__proto__` or `constructor`.
  const headers: Record<string, string> = Object.create(null)
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase()
    const value = rawHeaders[index + 1] ?? ''
    const earlier = headers[name]
    if (earlier === undefined) headers[name] = value
    else if (!SINGLE.has(name)) headers[name] = `${earlier}, ${value}`
  }
  return headers
}
