import { once } from 'node:events'
import express from 'express'
import { createPlatform, type Authenticator } from 'seine'
import { toNodeHandler } from 'seine/node'

/** How the example is started; the defaults are what `node examples/express/server.ts` does. */
export interface ExampleOptions {
  readonly port?: number
  /** Tests crawl a site on this machine. */
  readonly allowPrivateNetwork?: boolean
}

/** Stands for the host's own sessions: cookie value → user. */
const SESSIONS = new Map([['s3ss10n-of-ann', { user: 'ann', team: 'acme' }]])

/** The host's own sign-in decides who calls the platform: a session cookie instead of an API key. */
const bySession: Authenticator = async (request) => {
  const [, id = ''] = /(?:^|; *)session=([^;]+)/.exec(request.headers.get('cookie') ?? '') ?? []
  const session = SESSIONS.get(id)
  return session ? { account: session.team, user: session.user, scopes: ['tasks:*', 'executions:*'] } : null
}

/** An Express 5 app with routes of its own and the platform under `/data`. */
export async function start({ port = 3000, allowPrivateNetwork = false }: ExampleOptions = {}) {
  const platform = createPlatform({ authenticators: [bySession], allowPrivateNetwork })

  const app = express()
  app.get('/', (_, response) => void response.send('The pages of your own site'))
  // Before express.json() and other body parsers: the platform reads its requests itself.
  app.use('/data', toNodeHandler(platform.fetch))
  app.use(express.json())
  app.post('/echo', (request, response) => void response.json(request.body))

  const server = app.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address ? address.port : port

  const stop = new AbortController()
  const work = platform.worker.run({ signal: stop.signal })
  return {
    url: `http://127.0.0.1:${bound}`,
    cookie: 'session=s3ss10n-of-ann',
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
  const { url, cookie } = await start()
  console.log(`curl --cookie "${cookie}" ${url}/data/api/v1/tasks`)
}
