import { FetchFailure } from '../../../src/kernel/failures.ts'
import type { Fetcher, HopRequest, HopResponse } from '../../../src/ports/fetcher.ts'

/** The answer of a fake fetcher to a hop; by default status 200, no headers and an empty body. */
export interface FakeAnswer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** A {@link Fetcher} without a network that records its requests. */
export interface FakeFetcher extends Fetcher {
  readonly sent: HopRequest[]
  /** Names that were resolved, in order. */
  readonly resolved: string[]
}

/** Options of {@link createFakeFetcher}. */
export interface FakeFetcherOptions {
  readonly answer?: (hop: HopRequest, nth: number) => FakeAnswer | Promise<FakeAnswer>
  /**
   * Name → one list of addresses a lookup; the last is repeated. Other names have one public
   * address.
   */
  readonly dns?: Readonly<Record<string, readonly (readonly string[])[]>>
  readonly pinsAddresses?: boolean
}

/** The address of every name that a test does not list. */
export const PUBLIC_ADDRESS = '93.184.216.34'

export function createFakeFetcher({
  answer = () => ({}),
  dns = {},
  pinsAddresses = true,
}: FakeFetcherOptions = {}): FakeFetcher {
  const sent: HopRequest[] = []
  const resolved: string[] = []
  return {
    sent,
    resolved,
    capabilities: { pinsAddresses },
    async resolve(host) {
      const sets = dns[host] ?? [[PUBLIC_ADDRESS]]
      const nth = resolved.filter((name) => name === host).length
      resolved.push(host)
      return sets[nth] ?? sets.at(-1) ?? []
    },
    async send(hop): Promise<HopResponse> {
      sent.push(hop)
      const { status = 200, headers = {}, body = '' } = await answer(hop, sent.length)
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
      return {
        status,
        headers,
        body: bytes.subarray(0, hop.maxBytes),
        truncated: bytes.byteLength > hop.maxBytes,
      }
    },
    async close() {},
  }
}

/** An answer that does not come until the request is aborted. */
export function never(hop: HopRequest): Promise<never> {
  return new Promise((_, reject) => {
    const stop = () => reject(new FetchFailure('aborted', 'The request was cancelled.'))
    if (hop.signal.aborted) stop()
    else hop.signal.addEventListener('abort', stop, { once: true })
  })
}
