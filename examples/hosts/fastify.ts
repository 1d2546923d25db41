import fastify from 'fastify'
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
const app = fastify({ keepAliveTimeout: 5_000 }) // in ms; Fastify's own 72,000 keep it from closing for as long
app.get('/', () => 'The pages of your own site')
app.post('/echo', (request) => request.body)

const data = toNodeHandler(platform.fetch, { closing: stop.signal })
app.register((scope, _, done) => {
  // The platform reads bodies itself; the parsers of the rest of the app stay as they are.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null))
  scope.all('/data/*', (request, reply) => {
    reply.hijack()
    data(request.raw, reply.raw)
  })
  done()
})
//#endregion
await app.listen({ port: Number(process.env.PORT ?? 3000) })

// Turns queued executions into rows. It may also run in a process of its own, on the same store.
const work = platform.worker.run({ signal: stop.signal })

process.once('SIGTERM', async () => {
  stop.abort()
  await Promise.all([app.close(), work])
  await platform.close()
})
