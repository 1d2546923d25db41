import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { toNodeHandler } from '../../../adapters/node/handler.ts'

test('a server that closes is not kept open by clients that keep their connections', async () => {
  const stop = new AbortController()
  const events = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode(':\n\n')),
      }),
      { headers: { 'content-type': 'text/event-stream' } },
    )
  const server = createServer(
    toNodeHandler(({ url }) => (url.endsWith('/events') ? events() : new Response('done')), {
      closing: stop.signal,
    }),
  )
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  const agent = new Agent({ keepAlive: true })
  const ask = async (path: string): Promise<IncomingMessage> => {
    const [message]: IncomingMessage[] = await once(
      get({ port: address.port, path, agent }),
      'response',
    )
    if (!message) throw new Error('no response')
    return message
  }

  const stream = await ask('/events')
  await once(stream, 'data')
  const ended = once(stream, 'end')
  stop.abort()
  const late = await ask('/late')
  expect(late.headers.connection).toBe('close')
  await once(late.resume(), 'end')
  const closed = once(server, 'close')
  server.close()
  await Promise.all([ended, closed])
  expect(stream.complete).toBe(true)
  agent.destroy()
})
