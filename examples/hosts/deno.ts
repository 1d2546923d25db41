import { createPlatform } from 'seine'
import { createSqliteStore, toWebHandler } from 'seine/deno'
import { createFileBlobs } from 'seine/unstorage'

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
})
const stop = new AbortController()

//#region mounting
const data = toWebHandler(platform.fetch, { closing: stop.signal })

const server = Deno.serve(
  { port: Number(Deno.env.get('PORT') ?? 3000) },
  (request, { remoteAddr }) => {
    if (new URL(request.url).pathname.startsWith('/data/'))
      return data(request, remoteAddr.hostname)
    return new Response('The pages of your own site')
  },
)
//#endregion

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

Deno.addSignalListener('SIGTERM', async () => {
  stop.abort()
  await Promise.all([server.shutdown(), work])
  await platform.close()
  Deno.exit()
})
