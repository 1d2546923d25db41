/**
 * Seine on Deno: served by `Deno.serve`, on its `node:sqlite`. Requests leave through `node:http`
 * with pinned addresses, as on Node.
 */
export { serve, type ServeOptions } from './serve.ts'
export { createSqliteStore } from './sqlite-store.ts'
export type { SqliteStoreOptions } from '../common/sqlite/sqlite-store.ts'
export type { RunningServer, Served, ServeBasics } from '../common/serve/run-server.ts'
export {
  toWebHandler,
  type FetchContext,
  type PeerHandler,
  type WebHandler,
  type WebHandlerOptions,
} from '../common/serve/web-handler.ts'
export type { ProxyHeader, TrustProxy } from '../../src/kernel/http/client-address.ts'
