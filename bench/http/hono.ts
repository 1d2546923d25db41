import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import {
  createBareWork,
  FORBIDDEN,
  JSON_HEADERS,
  NOT_FOUND,
  requestIdOf,
  TOO_MANY,
  UNAUTHORIZED,
  type Caller,
} from './bare-work.ts'
import { contend } from './contender.ts'

await contend(async (path) => {
  const work = createBareWork(path)
  const app = new Hono<{ Variables: { caller: Caller; headers: Record<string, string> } }>()
  // The headers are passed together with the body, which is the fastest way of the server.
  app.use('/api/v1/*', async (c, next) => {
    const headers: Record<string, string> = {
      ...JSON_HEADERS,
      'X-Request-Id': requestIdOf(c.req.header('x-request-id')),
    }
    const caller = await work.identify(c.req.header('x-api-key'))
    if (!caller)
      return c.body(JSON.stringify(UNAUTHORIZED), 401, { ...headers, 'WWW-Authenticate': 'Bearer' })
    if (!work.mayRead(caller)) return c.body(JSON.stringify(FORBIDDEN), 403, headers)
    const rate = work.take(caller)
    if (!rate) return c.body(JSON.stringify(TOO_MANY), 429, headers)
    c.set('headers', Object.assign(headers, rate))
    c.set('caller', caller)
    return next()
  })
  app.get('/api/v1/tasks/:id', async (c) => {
    const answer = await work.read(c.get('caller'), c.req.param('id'))
    if (!answer) return c.body(JSON.stringify(NOT_FOUND), 404, c.get('headers'))
    return c.body(JSON.stringify(answer.body), 200, Object.assign(c.get('headers'), answer.headers))
  })
  return new Promise((resolve) =>
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port)),
  )
})
