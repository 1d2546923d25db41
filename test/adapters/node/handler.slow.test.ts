import { once } from 'node:events'
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { toNodeHandler, type FetchHandler } from '../../../adapters/node/handler.ts'

test.for(['fetch', 'reply'])(
  'a streamed answer is produced no faster than it is read: %s',
  async (way) => {
    let produced = 0
    const chunk = new Uint8Array(64 * 1024)
    const paused = Promise.withResolvers<void>()
    const answer = () =>
      new Response(
        new ReadableStream(
          {
            pull(controller) {
              produced++
              controller.enqueue(chunk)
              if (produced === 800) controller.close()
            },
          },
          { highWaterMark: 0 },
        ),
      )
    const handler: FetchHandler =
      way === 'reply'
        ? Object.assign(async () => answer(), { reply: async () => answer() })
        : answer
    const server = createServer(toNodeHandler(handler))
    onTestFinished(async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no address')
    const { port } = address
    const req = httpRequest({ port, host: '127.0.0.1' })
    req.end()
    const [message]: IncomingMessage[] = await once(req, 'response')
    if (!message) throw new Error('no response')
    message.pause()
    // Turns of the event loop until the socket's buffers are full and nothing moves any more.
    const settle = (last: number, still: number): void =>
      void (still > 200
        ? paused.resolve()
        : setImmediate(() => settle(produced, produced === last ? still + 1 : 0)))
    settle(0, 0)
    await paused.promise
    expect(produced).toBeLessThan(600)
    let bytes = 0
    for await (const part of message) bytes += Buffer.byteLength(part)
    expect(bytes).toBe(800 * chunk.length)
  },
)
