import { once } from 'node:events'
import { createServer } from 'node:http'
import { createMcpHandler, createPlatform } from 'seine'
import { serve, toNodeHandler } from 'seine/node'

/** How the service is started. */
export interface ServiceOptions {
  readonly port?: number
  /** Tests crawl a site on this machine. */
  readonly allowPrivateNetwork?: boolean
}

/** The API, which is for backends: it has no endpoint for agents. */
export async function startService({
  port = 3000,
  allowPrivateNetwork = false,
}: ServiceOptions = {}) {
  const platform = createPlatform({ mcp: false, allowPrivateNetwork })
  const server = await serve({ platform, port })
  const owner = { account: 'acme', user: 'ann', scopes: ['*'] }
  const { secret: key } = await platform.api.keys.create(owner, {
    name: 'agent',
    scopes: ['mcp:*'],
  })
  return {
    url: server.url,
    key,
    async close() {
      await server.close()
      await platform.close()
    },
  }
}

/**
 * The endpoint for agents on a server of its own. It keeps nothing: callers' keys go on to the
 * service at `baseUrl`, and to nobody else.
 */
export async function startEndpoint(baseUrl: string, port = 3001) {
  const stop = new AbortController()
  const mcp = createMcpHandler({ baseUrl, fetch })
  const server = createServer(toNodeHandler((request) => mcp(request), { closing: stop.signal }))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port
  return {
    url: `http://127.0.0.1:${bound}/mcp`,
    async close() {
      stop.abort()
      server.closeIdleConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

if (process.argv[1] === import.meta.filename) {
  const service = await startService()
  const endpoint = await startEndpoint(service.url)
  console.log(
    `claude mcp add --transport http seine ${endpoint.url} --header "Authorization: Bearer ${service.key}"`,
  )
}
