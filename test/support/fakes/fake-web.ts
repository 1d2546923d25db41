import { FetchFailure } from '../../../src/kernel/failures.ts'
import type { Fetcher, HopResponse } from '../../../src/ports/fetcher.ts'

/**
 * The answer of a URL of the fake web; a function is asked with the number of the request to that
 * URL, from 1.
 */
export type Answer =
  | string
  | { status?: number; headers?: Record<string, string>; body?: string | Uint8Array }
  | 'down'
  | ((nth: number) => Answer)

/**
 * A web in memory: URL → answer. An unknown URL is 404, and every host has an empty robots.txt
 * unless given.
 */
export interface FakeWeb extends Fetcher {
  /** URL → requests so far. */
  readonly requests: Map<string, number>
}

export function createFakeWeb(pages: Record<string, Answer>): FakeWeb {
  const requests = new Map<string, number>()
  return {
    requests,
    capabilities: { pinsAddresses: true },
    resolve: async () => ['93.184.216.34'],
    async send({ url, signal, maxBytes }) {
      signal.throwIfAborted()
      const nth = (requests.get(url.href) ?? 0) + 1
      requests.set(url.href, nth)
      return response(
        pages[url.href] ??
          (url.pathname === '/robots.txt'
            ? { headers: { 'content-type': 'text/plain' } }
            : { status: 404 }),
        nth,
        maxBytes,
      )
    },
    close: async () => {},
  }
}

function response(answer: Answer, nth: number, maxBytes: number): HopResponse {
  if (typeof answer === 'function') return response(answer(nth), nth, maxBytes)
  if (answer === 'down') throw new FetchFailure('connection', 'The connection was refused')
  const {
    status = 200,
    headers = {},
    body = '',
  } = typeof answer === 'string' ? { body: answer } : answer
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
    body: bytes.subarray(0, maxBytes),
    truncated: bytes.length > maxBytes,
    // So that a second reader of a page that was given back fails all tests that visit pages.
    isOwned: typeof body === 'string',
  }
}
