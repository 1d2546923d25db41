import { Elysia } from 'elysia'
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

const app = new Elysia()
  .get('/', () => 'The pages of your own site')
  .all(
    '/data/*',
    ({ request, server }) => data(request, server?.requestIP(request)?.address),
    { parse: 'none' }, // the platform reads bodies itself
  )
  .listen(Number(process.env.PORT ?? 3000))
//#endregion

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

process.once('SIGTERM', async () => {
  stop.abort()
  await Promise.all([app.stop(), work])
  await platform.close()
})
