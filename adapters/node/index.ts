/**
 * Seine on Node: served by node:http, mounted in Express, and fetching through node:http with
 * pinned addresses.
 */
export { serve, type NodeServer, type ServedPlatform, type ServeOptions } from './serve.ts'
export {
  toNodeHandler,
  type ClientIp,
  type FetchContext,
  type FetchHandler,
  type NodeHandler,
  type NodeHandlerOptions,
} from './handler.ts'
export type { ProxyHeader, TrustProxy } from '../../src/kernel/http/client-address.ts'
export { createNodeFetcher, type NodeFetcherOptions } from './fetcher.ts'
export type { Lookup } from './resolver.ts'
export { createPageThreads, type PageThreadsOptions } from './page-threads.ts'
