import { once } from 'node:events'
import express from 'express'
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
const app = express()
app.get('/', (_, response) => void response.send('The pages of your own site'))
// Before express.json(): the platform reads bodies itself. `all` leaves the prefix in the URL, so
// that links lead back here.
app.all('/data/{*path}', toNodeHandler(platform.fetch, { closing: stop.signal }))
app.use(express.json())
app.post('/echo', (request, response) => void response.json(request.body))
//#endregion
const server = app.listen(Number(process.env.PORT ?? 3000))

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

process.once('SIGTERM', async () => {
  stop.abort()
  server.close()
  await Promise.all([once(server, 'close'), work])
  await platform.close()
})
