import type { Platform } from 'seine'
import { serve } from 'seine/node'
import { startKeyProxy } from './key-proxy.ts'
import type { Exchange } from './key-proxy.ts'
import type { Ended } from './run-suite.ts'

const OWNER = { account: 'acme', user: 'ann', scopes: ['*'] }

/**
 * Runs the suite against a platform: on a server of its own, behind a proxy that adds the API key.
 *
 * @param run Runs the suite against the URL of the proxy.
 * @param fetch What is served. Default: the platform.
 */
export async function runAgainst(
  platform: Platform,
  run: (url: string) => Promise<Ended>,
  { fetch = platform.fetch, ...exchange }: Exchange & { readonly fetch?: Platform['fetch'] } = {},
): Promise<Ended> {
  const { secret } = await platform.api.keys.create(OWNER, { name: 'suite', scopes: ['mcp:*'] })
  const server = await serve({ fetch, port: 0 })
  const proxy = await startKeyProxy(server.url, secret, exchange)
  try {
    return await run(proxy.url)
  } finally {
    proxy.close()
    await server.close()
  }
}
