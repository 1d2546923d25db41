import { once } from 'node:events'
import { createServer } from 'node:http'
import { createPlatform } from 'seine'
import { toNodeHandler } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
})
const stop = new AbortController()

//#region mounting
const data = toNodeHandler(platform.fetch, { closing: stop.signal })

const server = createServer((req, res) => {
  if (req.url?.startsWith('/data/')) return data(req, res)
  res.end('The pages of your own site')
})
//#endregion
server.listen(Number(process.env.PORT ?? 3000))

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

process.once('SIGTERM', async () => {
  stop.abort()
  server.close()
  await Promise.all([once(server, 'close'), work])
  await platform.close()
})
