import { createPlatform } from 'seine'
import { createSqliteStore, toWebHandler } from 'seine/bun'
import { createFileBlobs } from 'seine/unstorage'

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
})
const stop = new AbortController()

//#region mounting
const data = toWebHandler(platform.fetch, { closing: stop.signal })

const server = Bun.serve({
  port: Number(process.env.PORT ?? 3000),
  idleTimeout: 120, // streams of events are silent for longer than Bun's ten seconds
  routes: {
    '/': new Response('The pages of your own site'),
    '/data/*': (request, bun) => data(request, bun.requestIP(request)?.address),
  },
})
//#endregion

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

process.once('SIGTERM', async () => {
  stop.abort()
  await Promise.all([server.stop(), work])
  await platform.close()
})
