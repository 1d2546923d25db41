import fastify from 'fastify'
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

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
  }
}

await contend(async (path) => {
  const work = createBareWork(path)
  const app = fastify({ genReqId: (req) => requestIdOf(req.headers['x-request-id']) })
  app.decorateRequest('caller', null)
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ ...JSON_HEADERS, 'X-Request-Id': request.id })
    const key = request.headers['x-api-key']
    request.caller = await work.identify(typeof key === 'string' ? key : undefined)
    if (!request.caller)
      return reply.code(401).header('WWW-Authenticate', 'Bearer').send(UNAUTHORIZED)
    if (!work.mayRead(request.caller)) return reply.code(403).send(FORBIDDEN)
    const rate = work.take(request.caller)
    if (!rate) return reply.code(429).send(TOO_MANY)
    reply.headers(rate)
  })
  app.get<{ Params: { id: string } }>('/api/v1/tasks/:id', async (request, reply) => {
    const answer = request.caller && (await work.read(request.caller, request.params.id))
    return answer
      ? reply.headers(answer.headers).send(answer.body)
      : reply.code(404).send(NOT_FOUND)
  })
  return Number(new URL(await app.listen({ port: 0, host: '127.0.0.1' })).port)
})
