import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { refuseUnreadable } from '../../../adapters/node/refuse-unreadable.ts'
import { serve } from '../../../adapters/node/serve.ts'

/** A platform whose worker ends on demand, and whose requests to `/slow` wait. */
function fakePlatform() {
  const release = Promise.withResolvers<void>()
  const entered = Promise.withResolvers<void>()
  const seen = { workerStarted: 0, workerStopped: 0 }
  return {
    release: () => release.resolve(),
    entered: entered.promise,
    seen,
    fetch: async (request: Request) => {
      if (!request.url.endsWith('/slow')) return new Response('quick')
      entered.resolve()
      await release.promise
      return new Response('slow')
    },
    worker: {
      async run({ signal }: { signal: AbortSignal }) {
        seen.workerStarted++
        await once(signal, 'abort')
        seen.workerStopped++
      },
    },
  }
}

test('serves a platform on a free port and works until it is closed', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0 })
  expect(server.url).toBe(`http://127.0.0.1:${server.port}`)
  expect(await (await fetch(server.url)).text()).toBe('quick')
  expect(platform.seen).toEqual({ workerStarted: 1, workerStopped: 0 })
  await Promise.all([server.close(), server.close()])
  expect(platform.seen).toEqual({ workerStarted: 1, workerStopped: 1 })
  await expect(fetch(server.url)).rejects.toThrow('fetch failed')
})

test('worker: false does not start the worker', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0, worker: false })
  await server.close()
  expect(platform.seen.workerStarted).toBe(0)
})

test('close waits for a running request and ends kept-alive connections', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0 })
  // Two connections are kept alive: one is idle, one is busy.
  const idle = connect(server.port, '127.0.0.1')
  idle.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(idle, 'data')
  const busy = connect(server.port, '127.0.0.1')
  busy.write('GET /slow HTTP/1.1\r\nHost: x\r\n\r\n')
  await platform.entered
  const idleClosed = once(idle, 'close')
  const closed = server.close()
  await idleClosed
  platform.release()
  let text = ''
  for await (const chunk of busy) text += String(chunk)
  expect(text).toContain('slow')
  await closed
})

test('close gives up on a request that does not end', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0, closeTimeoutMs: 20 })
  const never = fetch(`${server.url}/slow`)
  never.catch(() => undefined)
  await platform.entered
  await server.close()
  await expect(never).rejects.toThrow('fetch failed')
})

test('a port in use rejects with EADDRINUSE and starts no worker', async () => {
  const first = await serve({ fetch: () => new Response('first'), port: 0 })
  const platform = fakePlatform()
  await expect(serve({ platform, port: first.port })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  expect(platform.seen.workerStarted).toBe(0)
  await first.close()
})

test('a worker that fails is reported and the server goes on', async () => {
  const reported = Promise.withResolvers<unknown>()
  const platform = {
    fetch: () => new Response('on'),
    worker: { run: () => Promise.reject(new Error('no store')) },
  }
  const server = await serve({ platform, port: 0, onError: reported.resolve })
  expect(await reported.promise).toEqual(new Error('no store'))
  expect(await (await fetch(server.url)).text()).toBe('on')
  await server.close()
})

test('serve refuses options without a platform', async () => {
  await expect(serve({ port: 0 })).rejects.toThrow('serve needs a platform or a fetch')
})

test.for<readonly [sent: string, status: string, code: string, message: string]>([
  ['NONSENSE\r\n\r\n', '400 Bad Request', 'BAD_REQUEST', 'The request is not valid HTTP'],
  [
    `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
    '431 Request Header Fields Too Large',
    'BAD_REQUEST',
    'The headers are too long',
  ],
  [
    // By then the handler has the request, and waits for its body.
    `POST /slow HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1;${'y'.repeat(20_000)}`,
    '413 Payload Too Large',
    'PAYLOAD_TOO_LARGE',
    'The extensions of a chunk are too long',
  ],
])(
  'a request that Node cannot read is answered with the error envelope and an id: %#',
  async ([sent, ...refusal]) => {
    const platform = fakePlatform()
    const server = await serve({ platform, port: 0, worker: false })
    expectRefusal(await answerTo(server.port, sent), refusal)
    platform.release()
    await server.close()
  },
)

test('a request that does not arrive in time is answered with the error envelope and an id', async () => {
  const times = { headersTimeout: 1, requestTimeout: 1, connectionsCheckingInterval: 1 }
  const server = createServer(times, () => expect.unreachable('it never arrived'))
  refuseUnreadable(server)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const answer = await answerTo(port, 'GET / HTTP/1.1\r\nHost: x\r\n')
  expectRefusal(answer, [
    '408 Request Timeout',
    'BAD_REQUEST',
    'The request did not arrive in time',
  ])
  server.close()
})

/** All bytes that the server sends after these bytes, until it ends the connection. */
async function answerTo(port: number, sent: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(sent)
  return (await socket.setEncoding('utf8').toArray()).join('')
}

function expectRefusal(answer: string, [status, code, message]: readonly string[]): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status}\r\n`))
  expect(head).toMatch(/\r\nX-Request-Id: req_[\w-]+$/)
  expect(JSON.parse(body)).toEqual({ success: false, error: { code, message } })
}

test('the error for a request that Node cannot read is not mixed into an answer that is being sent', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0, worker: false })
  const socket = connect(server.port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(socket, 'readable')
  socket.write('NONSENSE\r\n\r\n')
  const answer = (await socket.setEncoding('utf8').toArray()).join('')
  expect(answer).toContain('quick')
  expect(answer).not.toContain('BAD_REQUEST')
  await server.close()
})
