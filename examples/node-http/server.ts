import { once } from 'node:events'
import { createServer } from 'node:http'
import { createPlatform } from 'seine'
import { toNodeHandler } from 'seine/node'

/** How the example is started; the defaults are what `node examples/node-http/server.ts` does. */
export interface ExampleOptions {
  readonly port?: number
  /** Tests crawl a site on this machine. */
  readonly allowPrivateNetwork?: boolean
}

/** A plain node:http server with one page of its own and the platform under `/data`. */
export async function start({ port = 3000, allowPrivateNetwork = false }: ExampleOptions = {}) {
  // node:http does not strip prefixes, so the platform is told where it lives.
  const platform = createPlatform({ basePath: '/data', allowPrivateNetwork })
  const data = toNodeHandler(platform.fetch)

  const server = createServer((req, res) => {
    if (req.url?.startsWith('/data/')) data(req, res)
    else if (req.url === '/') res.end('The pages of your own site')
    else res.writeHead(404).end('Not here')
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port

  // The worker turns queued executions into rows. It may also run in a process of its own, on the same store.
  const stop = new AbortController()
  const work = platform.worker.run({ signal: stop.signal })

  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { secret: key } = await platform.api.keys.create(owner, { name: 'example', scopes: ['tasks:*', 'executions:*'] })
  return {
    url: `http://127.0.0.1:${bound}`,
    key,
    async close() {
      stop.abort()
      server.close()
      server.closeIdleConnections()
      await work
      await platform.close()
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const { url, key } = await start()
  console.log(`curl -H "Authorization: Bearer ${key}" ${url}/data/api/v1/tasks`)
}
