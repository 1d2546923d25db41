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
  readonly #known = new Map<
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
      const stop = () => reject(cancelled()) // the system's lookup cannot be stopped, only left alone
      signal.addEventListener('abort', stop, { once: true })
      this.#addresses(host)
        .then(resolve, (error: unknown) => reject(dnsFailure(error)))
        .finally(() => signal.removeEventListener('abort', stop))
    })
  }

  #addresses(host: string): Promise<readonly string[]> {
    if (this.#cacheMs === 0) return this.#lookup(host)
    const now = performance.now()
    const known = this.#known.get(host)
    if (known !== undefined && known.until > now) return known.addresses
    const addresses = this.#lookup(host)
    this.#known.delete(host)
    this.#known.set(host, { addresses, until: now + this.#cacheMs })
    addresses.catch(() => this.#known.delete(host)) // a failure is not remembered
    const [oldest] = this.#known.keys()
    if (this.#known.size > MAX_NAMES && oldest !== undefined) this.#known.delete(oldest)
    return addresses
  }
}

/** A `lookup` for node:net that knows no other addresses than these. */
export function pinned(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_host, options, callback) => {
    const { family } = options
    const wanted = family === 4 || family === 6 ? all.filter((one) => one.family === family) : all
    const [first] = wanted
    if (first === undefined)
      callback(Object.assign(new Error('No address of this family'), { code: 'ENOTFOUND' }), '')
    else if (options.all) callback(null, wanted)
    else callback(null, first.address, first.family)
  }
}

function dnsFailure(error: unknown): FetchFailure {
  const failure = failureOf(error)
  return failure.reason === 'dns'
    ? failure
    : new FetchFailure('dns', 'The host name could not be resolved.')
}
