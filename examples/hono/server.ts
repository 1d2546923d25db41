import { Hono } from 'hono'
import { createPlatform } from 'seine'
import { serve } from 'seine/node'

/** How the example is started; the defaults are what `node examples/hono/server.ts` does. */
export interface ExampleOptions {
  readonly port?: number
  /** Tests crawl a site on this machine. */
  readonly allowPrivateNetwork?: boolean
}

/** A Hono app with a page of its own and the platform under `/data`. */
export async function start({ port = 3000, allowPrivateNetwork = false }: ExampleOptions = {}) {
  const platform = createPlatform({ allowPrivateNetwork })

  const app = new Hono()
  app.get('/', (context) => context.text('The pages of your own site'))
  app.mount('/data', platform.fetch)

  // Serves the whole app and runs the platform's worker beside it. On Bun, Deno or Workers, export `app` instead.
  const server = await serve({ platform, fetch: app.fetch, port })

  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { secret: key } = await platform.api.keys.create(owner, { name: 'example', scopes: ['tasks:*', 'executions:*'] })
  return {
    url: server.url,
    key,
    async close() {
      await server.close()
      await platform.close()
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url, key } = await start()
  console.log(`curl -H "Authorization: Bearer ${key}" ${url}/data/api/v1/tasks`)
}
