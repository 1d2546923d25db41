import { createPlatform } from 'seine'
import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

// The platform alone: HTTP and the worker in one process.

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
})
const server = await serve({ platform, port: Number(process.env.PORT ?? 3000) })

process.once('SIGTERM', async () => {
  await server.close() // running requests and pages end, nothing new begins
  await platform.close()
})
