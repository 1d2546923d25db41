import { lookup as systemLookup } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { FetchFailure } from '../../src/kernel/failures.ts'
import { cancelled, failureOf } from './fetch-errors.ts'

/** All addresses of a name, in the order to try them. May reject with any error. */
export type Lookup = (host: string) => Promise<readonly string[]>

/** Asks the system, `/etc/hosts` included. */
export async function lookupSystem(host: string): Promise<readonly string[]> {
  const addresses = await systemLookup(host, { all: true, verbatim: true })
  return addresses.map(({ address }) => address)
}

const MAX_NAMES = 1_000

/**
 * Shares one lookup between requests for a name within `cacheMs`. That is safe: every request
 * checks the cached addresses again, and the connection goes to the checked address.
 */
export class Resolver {
  readonly #lookup: Lookup
  readonly #cacheMs: number
  readonly #cache = new Map<
    string,
    { readonly addresses: Promise<readonly string[]>; readonly until: number }
  >()

  constructor(lookup: Lookup, cacheMs: number) {
    this.#lookup = lookup
    this.#cacheMs = cacheMs
  }

  /** @throws {FetchFailure} `dns`, `aborted` */
  resolve(host: string, signal: AbortSignal): Promise<readonly string[]> {
    if (signal.aborted) return Promise.reject(cancelled())
    return new Promise((resolve, reject) => {
      const stop = () => reject(cancelled()) // The system's lookup cannot be stopped, only ignored.
      signal.addEventListener('abort', stop, { once: true })
      this.#addresses(host)
        .then(resolve, (error: unknown) => reject(dnsFailure(error)))
        .finally(() => signal.removeEventListener('abort', stop))
    })
  }

  #addresses(host: string): Promise<readonly string[]> {
    if (this.#cacheMs === 0) return this.#lookup(host)
    const now = performance.now()
    const cached = this.#cache.get(host)
    if (cached !== undefined && cached.until > now) return cached.addresses
    const addresses = this.#lookup(host)
    this.#cache.delete(host)
    this.#cache.set(host, { addresses, until: now + this.#cacheMs })
    addresses.catch(() => this.#cache.delete(host)) // A failure is not cached.
    const [oldest] = this.#cache.keys()
    if (this.#cache.size > MAX_NAMES && oldest !== undefined) this.#cache.delete(oldest)
    return addresses
  }
}

/** A `lookup` for node:net that knows only these addresses. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, options, callback) => {
    const { family } = options
    const ofFamily =
      family === 4 || family === 6 ? all.filter((address) => address.family === family) : all
    const [first] = ofFamily
    if (first === undefined)
      callback(Object.assign(new Error('No address of this family'), { code: 'ENOTFOUND' }), '')
    else if (options.all) callback(null, ofFamily)
    else callback(null, first.address, first.family)
  }
}

function dnsFailure(error: unknown): FetchFailure {
  const failure = failureOf(error)
  return failure.reason === 'dns'
    ? failure
    : new FetchFailure('dns', 'The host name could not be resolved.')
}
