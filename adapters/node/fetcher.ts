import { callback, checkOptions, nonEmpty, whole } from '../../src/kernel/options.ts'
import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Fetcher } from '../../src/ports/fetcher.ts'
import { exchange } from './exchange.ts'
import { lookupSystem, Resolver } from './resolver.ts'
import type { Lookup } from './resolver.ts'

/** Options of {@link createNodeFetcher}. */
export interface NodeFetcherOptions {
  /** Maximum number of connections to one origin. Further requests wait. Default 128. */
  readonly maxSocketsPerHost?: number
  /** Time for the TCP and TLS handshakes. Default 10,000 ms. */
  readonly connectTimeoutMs?: number
  /**
   * Longest time without data from the server, before and within an answer. Also the time for which
   * an idle connection is kept. Default 15,000 ms.
   */
  readonly idleTimeoutMs?: number
  /** How long the addresses of a name are cached. Default 5,000 ms; 0: not at all. */
  readonly dnsCacheMs?: number
  /** Finds all addresses of a name; default: the system's resolver. */
  readonly lookup?: Lookup
  /** PEM certificates to trust instead of the runtime's own. */
  readonly ca?: string
}

/**
 * A {@link Fetcher} over node:http and node:https, for Node, Bun and Deno: keep-alive connections
 * to checked addresses only. Connections are shared by origin, so use separate fetchers for
 * requests with different address rules.
 *
 * @example
 *   const fetcher = createNodeFetcher({ maxSocketsPerHost: 32 })
 *   const platform = createPlatform({ fetcher })
 */
export function createNodeFetcher(options: NodeFetcherOptions = {}): Fetcher {
  checkOptions<NodeFetcherOptions>('createNodeFetcher', options, {
    maxSocketsPerHost: whole(1),
    connectTimeoutMs: whole(1),
    idleTimeoutMs: whole(1),
    dnsCacheMs: whole(0),
    lookup: callback,
    ca: nonEmpty,
  })
  const {
    maxSocketsPerHost = 128,
    connectTimeoutMs = 10_000,
    idleTimeoutMs = 15_000,
    dnsCacheMs = 5_000,
    lookup = lookupSystem,
    ca,
  } = options
  const agentOptions = { keepAlive: true, maxSockets: maxSocketsPerHost, timeout: idleTimeoutMs }
  const http = new HttpAgent(agentOptions)
  const trust = ca === undefined ? {} : { ca }
  const https = new HttpsAgent({ ...agentOptions, ...trust })
  const resolver = new Resolver(lookup, dnsCacheMs)
  return {
    capabilities: { pinsAddresses: true },
    resolve: (host, signal) => resolver.resolve(host, signal),
    send: (hop) =>
      exchange(hop, {
        agent: hop.url.protocol === 'https:' ? https : http,
        connectTimeoutMs,
        idleTimeoutMs,
        ...trust,
      }),
    async close() {
      http.destroy()
      https.destroy()
    },
  }
}

/** The platform's default fetcher on this runtime. */
export const createDefaultFetcher = (): Fetcher => createNodeFetcher()
