import { Hono } from 'hono'
import { createPlatform } from 'seine'
import { serve } from 'seine/node'
import { createSqliteStore } from 'seine/sqlite'
import { createFileBlobs } from 'seine/unstorage'

const platform = createPlatform({
  store: createSqliteStore({ path: 'seine.db' }),
  blobs: createFileBlobs({ dir: 'seine-blobs' }),
  basePath: '/data',
})

//#region mounting
const app = new Hono()
app.get('/', (context) => context.text('The pages of your own site'))
// the prefix stays in the URL, so that links lead back here
app.mount('/data', platform.fetch, { replaceRequest: false })

// Serves the whole app and runs the worker. `serve` of `seine/bun` and `seine/deno` does the same
// there.
const server = await serve({ platform, fetch: app.fetch, port: Number(process.env.PORT ?? 3000) })
//#endregion

process.once('SIGTERM', async () => {
  await server.close()
  await platform.close()
})
