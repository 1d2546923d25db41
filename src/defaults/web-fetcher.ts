import { isTooLong } from '../kernel/http/headers.ts'
import { FetchFailure } from '../kernel/failures.ts'
import type { Fetcher, HopRequest, HopResponse } from '../ports/fetcher.ts'

/**
 * A {@link Fetcher} over the runtime's own `fetch`, for runtimes without sockets such as workerd. It
 * cannot resolve names or choose addresses: names are checked only as texts, and the network rules
 * of the hosting platform must keep requests off private networks.
 */
export function createWebFetcher(): Fetcher {
  return { capabilities: { pinsAddresses: false }, resolve: unresolvable, send, async close() {} }
}

/** The platform's default fetcher on this runtime. */
export const createDefaultFetcher = createWebFetcher

function unresolvable(): Promise<never> {
  return Promise.reject(new FetchFailure('dns', 'This runtime does not resolve names.'))
}

async function send(hop: HopRequest): Promise<HopResponse> {
  const { url, method, headers, signal } = hop
  try {
    const body = hop.body === undefined ? {} : { body: new Uint8Array(hop.body) }
    // This is the only place in src/ where a request leaves. Only egress calls `send`, after its
    // checks, once for every hop.
    const response = await fetch(url, {
      method,
      headers: { ...headers },
      ...body,
      redirect: 'manual',
      signal,
    })
    const received = Object.fromEntries(response.headers)
    return { status: response.status, headers: received, ...(await read(response, hop)) }
  } catch (error) {
    if (error instanceof FetchFailure) throw error
    if (signal.aborted) throw new FetchFailure('aborted', 'The request was cancelled.')
    // `fetch` reports every failure as a TypeError and, by design, does not tell which.
    throw new FetchFailure('connection', 'The connection failed.')
  }
}

async function read(
  response: Response,
  hop: HopRequest,
): Promise<Pick<HopResponse, 'body' | 'truncated'>> {
  const { maxBytes } = hop
  const reader = response.body?.getReader()
  if (reader === undefined) return { body: new Uint8Array(0), truncated: false }
  if (isTooLong(hop, response.headers.get('content-length'))) {
    await reader.cancel()
    return { body: new Uint8Array(0), truncated: true }
  }
  const chunks: Uint8Array[] = []
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    chunks.push(next.value)
    length += next.value.byteLength
    if (length > maxBytes) break
  }
  if (length > maxBytes) await reader.cancel()
  return { body: concat(chunks, Math.min(length, maxBytes)), truncated: length > maxBytes }
}

function concat(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const [first] = chunks
  if (first !== undefined && chunks.length === 1) return first.subarray(0, length)
  const bytes = new Uint8Array(length)
  let index = 0
  for (const chunk of chunks) {
    bytes.set(chunk.subarray(0, length - index), index)
    index += chunk.byteLength
  }
  return bytes
}
