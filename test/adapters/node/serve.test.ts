import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { serve } from '../../../adapters/node/serve.ts'

/** A platform whose worker ends when told to, and whose requests to `/slow` wait. */
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

test('worker: false leaves the worker alone', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0, worker: false })
  await server.close()
  expect(platform.seen.workerStarted).toBe(0)
})

test('close waits for a running request and ends kept-alive connections', async () => {
  const platform = fakePlatform()
  const server = await serve({ platform, port: 0 })
  // Two connections that are kept alive: one idle, one busy.
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

test('needs something to serve', async () => {
  await expect(serve({ port: 0 })).rejects.toThrow('serve needs a platform or a fetch')
})
