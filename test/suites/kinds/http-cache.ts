import { createEgress } from '../../../src/engine/egress/egress.ts'
import type { EgressResponse } from '../../../src/engine/egress/types.ts'
import { FetchFailure } from '../../../src/kernel/failures.ts'
import type { Fetcher, HopRequest } from '../../../src/ports/fetcher.ts'
import { systemClock } from '../../../src/defaults/system-clock.ts'
import { isObject } from '../compare.ts'
import type { Case, Kind, Value } from '../suite.ts'

/** Requests one after another, as a cache in front of the egress would send or answer them. */
export const httpCacheKinds: Readonly<Record<string, Kind>> = { 'http-cache': { judge } }

type Fields = { readonly [name: string]: Value }
type Pair = readonly [name: string, value: string]

const URL = 'http://cache.example.com/'

async function judge(one: Case): Promise<boolean> {
  const requests = one.value('requests')
  if (!Array.isArray(requests)) return false
  const clock = systemClock
  const server = new Server(() => clock.now())
  const egress = createEgress({ fetcher: server, clock })
  for (const request of requests.filter(isObject)) {
    server.expect(request)
    const headers = Object.fromEntries(pairs(request['request_headers'], clock.now()))
    const response = await egress({ url: URL, purpose: 'page', headers }).catch(() => null)
    if (request['setup'] !== true && !holds(request, server.seen, response)) return false
  }
  return true
}

/** Answers each request as its case says, and keeps the headers that it saw. */
class Server implements Fetcher {
  readonly capabilities = { pinsAddresses: false }
  /** The headers of the last request that arrived since the last {@link expect}; `null` for none. */
  seen: Readonly<Record<string, string>> | null = null
  readonly #now: () => number
  #request: Fields = {}
  #asked = 0
  #arrived = 0

  constructor(now: () => number) {
    this.#now = now
  }

  expect(request: Fields): void {
    this.#request = request
    this.#asked++
    this.seen = null
  }

  async resolve(): Promise<readonly string[]> {
    return []
  }

  async send({ headers }: HopRequest) {
    this.seen = headers
    this.#arrived++
    if (this.#request['disconnect'] === true) throw new FetchFailure('connection', 'Closed.')
    const isValid = ['if-none-match', 'if-modified-since'].some((name) => headers[name])
    return {
      status: isValid ? 304 : 200,
      headers: {
        ...Object.fromEntries(pairs(this.#request['response_headers'], this.#now())),
        'client-request-count': String(this.#asked),
        'server-request-count': String(this.#arrived),
      },
      body: new Uint8Array(),
      truncated: false,
    }
  }

  async close(): Promise<void> {}
}

/** Headers of a case by lower-case name. A number is a date, in seconds from now. */
function pairs(value: Value | undefined, now: number): readonly Pair[] {
  const list = Array.isArray(value) ? value.filter((pair) => Array.isArray(pair)) : []
  return list.map(([name = '', text = '']): Pair => [
    String(name).toLowerCase(),
    typeof text === 'number' ? new Date(now + text * 1_000).toUTCString() : String(text),
  ])
}

function holds(
  request: Fields,
  seen: Readonly<Record<string, string>> | null,
  response: EgressResponse | null,
): boolean {
  const { expected_type: type, expected_response_headers_missing: missing } = request
  const isOfType =
    type === undefined ||
    (type === 'cached'
      ? seen === null
      : type === 'not_cached'
        ? seen !== null
        : seen?.[type === 'etag_validated' ? 'if-none-match' : 'if-modified-since'] !== undefined)
  const status = request['expected_status']
  return (
    isOfType &&
    (status === undefined || (response?.status ?? null) === status) &&
    pairs(request['expected_request_headers'], 0).every(([name, text]) => seen?.[name] === text) &&
    pairs(request['expected_response_headers'], 0).every(
      ([name, text]) => response?.headers[name] === text,
    ) &&
    (Array.isArray(missing) ? missing : []).every(
      (name) => response?.headers[String(name)] === undefined,
    )
  )
}
