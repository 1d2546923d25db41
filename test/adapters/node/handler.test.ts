import { once } from 'node:events'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestOptions,
  type Server,
} from 'node:http'
import { connect } from 'node:net'
import express from 'express'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  toNodeHandler,
  type FetchContext,
  type FetchHandler,
  type NodeHandlerOptions,
} from '../../../adapters/node/handler.ts'
import type { LazyRequest } from '../../../src/kernel/http/message.ts'

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

async function listen(listener: Parameters<typeof createServer>[1]): Promise<number> {
  const server = createServer(listener)
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return address.port
}

/**
 * A handler as any host writes it, and one that needs less than a `Request`, as the handler of the
 * platform.
 */
const WAYS: Readonly<Record<string, (fetch: FetchHandler) => FetchHandler>> = {
  fetch: (fetch) => fetch,
  reply: (fetch) =>
    Object.assign((request: Request, context: FetchContext) => fetch(request, context), {
      reply: async (request: LazyRequest, context: FetchContext) =>
        fetch(request.toRequest(), context),
    }),
}

const url = (port: number, path = '/') => `http://127.0.0.1:${port}${path}`

/** An exchange over a bare socket: for requests that `fetch` refuses to send, and what it hides. */
async function raw(
  port: number,
  options: RequestOptions,
  body?: string,
): Promise<{ status: number; message: IncomingMessage; text: string }> {
  const req = httpRequest({ port, host: '127.0.0.1', ...options })
  req.end(body)
  const [message]: IncomingMessage[] = await once(req, 'response')
  if (!message) throw new Error('no response')
  let text = ''
  for await (const chunk of message) text += String(chunk)
  return { status: message.statusCode ?? 0, message, text }
}

/** The answer to a request with exactly this head. */
async function spoken(port: number, head: string): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  socket.write(`${head}\r\nConnection: close\r\n\r\n`)
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

describe.for(Object.entries(WAYS))('the adapter, with %s', ([, way]) => {
  const start = (fetch: FetchHandler, options?: NodeHandlerOptions) =>
    listen(toNodeHandler(way(fetch), options))

  test('passes method, address, headers and body on, and passes the answer back', async () => {
    const port = await start(async (request) => {
      const headers = new Headers({
        'x-seen':
          `${request.method} ${new URL(request.url).pathname}${new URL(request.url).search} ` +
          `${request.headers.get('x-in')}`,
      })
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2; Path=/')
      return new Response(`got ${await request.text()}`, { status: 201, headers })
    })
    const response = await fetch(url(port, '/p/%C3%A9?q=1&q=2'), {
      method: 'PUT',
      headers: { 'x-in': 'yes' },
      body: 'héllo',
    })
    expect(response.status).toBe(201)
    expect(response.headers.get('x-seen')).toBe('PUT /p/%C3%A9?q=1&q=2 yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1', 'b=2; Path=/'])
    expect(await response.text()).toBe('got héllo')
  })

  test('takes the host from the Host header, whatever the path looks like', async () => {
    const port = await start((request) => new Response(request.url))
    expect(
      (await raw(port, { path: '//evil.example/x', headers: { host: 'api.example:81' } })).text,
    ).toBe('http://api.example:81//evil.example/x')
    expect(
      (await raw(port, { path: 'http://other.example/y?z', headers: { host: 'api.example' } }))
        .text,
    ).toBe('http://other.example/y?z')
    expect(
      (await raw(port, { method: 'OPTIONS', path: '*', headers: { host: 'api.example' } })).text,
    ).toBe('http://api.example/')
  })

  test('answers 400 to a request that cannot become a web Request, without a call of the handler', async () => {
    let calls = 0
    const port = await start(() => {
      calls++
      return new Response('ok')
    })
    expect((await raw(port, { headers: { host: 'a@b/c' } })).status).toBe(400)
    const trace = await raw(port, { method: 'TRACE' })
    expect(trace.status).toBe(400)
    expect(JSON.parse(trace.text)).toEqual({
      success: false,
      error: { code: 'BAD_REQUEST', message: 'The request is not valid' },
    })
    expect(trace.message.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/)
    expect(calls).toBe(0)
  })

  test('HEAD, 204 and 304 have no body, and their unread body is cancelled', async () => {
    let cancelled = 0
    const body = () =>
      new ReadableStream(
        {
          pull: (controller) => controller.enqueue(new Uint8Array(9)),
          cancel: () => void cancelled++,
        },
        { highWaterMark: 0 },
      )
    const port = await start((request) => {
      if (request.method === 'HEAD')
        return new Response(body(), { headers: { 'content-length': '900' } })
      return new Response(null, { status: new URL(request.url).pathname === '/304' ? 304 : 204 })
    })
    const head = await raw(port, { method: 'HEAD' })
    expect([head.status, head.text, head.message.headers['content-length']]).toEqual([
      200,
      '',
      '900',
    ])
    expect(cancelled).toBe(1)
    expect((await raw(port, { path: '/204' })).message.headers['transfer-encoding']).toBeUndefined()
    expect((await raw(port, { path: '/304' })).status).toBe(304)
  })

  test('a failing handler is an opaque 500 and the cause goes to onError only', async () => {
    const errors: unknown[] = []
    const port = await start(() => Promise.reject(new Error('secret: hunter2')), {
      onError: (error) => errors.push(error),
    })
    const response = await fetch(url(port))
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      success: false,
      error: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' },
    })
    expect(errors).toEqual([new Error('secret: hunter2')])
  })

  test('a body that fails half-way breaks the connection instead of ending it', async () => {
    const errors: unknown[] = []
    let first = true
    const body = new ReadableStream({
      pull(controller) {
        if (first) controller.enqueue(new TextEncoder().encode('half'))
        else controller.error(new Error('disk gone'))
        first = false
      },
    })
    const port = await start(() => new Response(body), { onError: (error) => errors.push(error) })
    await expect(fetch(url(port)).then((response) => response.text())).rejects.toThrow(
      /fetch failed|terminated/,
    )
    expect(errors).toEqual([new Error('disk gone')])
  })

  test('sends chunks that are ready at the same time before the body ends', async () => {
    const port = await start(
      () =>
        new Response(
          new ReadableStream({
            start(controller) {
              for (const chunk of ['one ', 'two ', 'three'])
                controller.enqueue(new TextEncoder().encode(chunk))
              controller.close()
            },
          }),
        ),
    )
    expect((await raw(port, { path: '/', agent: false })).text).toBe('one two three')
  })

  test('sends the headers at once, although the body stays silent', async () => {
    let push: (text: string) => void = () => undefined
    const port = await start(
      () =>
        new Response(
          new ReadableStream({
            start: (controller) =>
              void (push = (text) =>
                text ? controller.enqueue(new TextEncoder().encode(text)) : controller.close()),
          }),
          { headers: { 'content-type': 'text/event-stream' } },
        ),
    )
    const response = await fetch(url(port))
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    push('data: 1\n\n')
    push('')
    expect(await response.text()).toBe('data: 1\n\n')
  })

  test('a client that goes away aborts the request and cancels the answer', async () => {
    const aborted = Promise.withResolvers<void>()
    const cancelled = Promise.withResolvers<void>()
    const errors: unknown[] = []
    const port = await start(
      (request) => {
        request.signal.addEventListener('abort', () => aborted.resolve())
        return new Response(
          new ReadableStream({
            start: (controller) => controller.enqueue(new Uint8Array(5)),
            cancel: () => cancelled.resolve(),
          }),
        )
      },
      { onError: (error) => errors.push(error) },
    )
    const controller = new AbortController()
    const response = await fetch(url(port), { signal: controller.signal })
    await response.body?.getReader().read()
    controller.abort()
    await Promise.all([aborted.promise, cancelled.promise])
    expect(errors).toEqual([])
  })

  test('a request that ends well does not abort its signal', async () => {
    let signal: AbortSignal | undefined
    const port = await start((request) => {
      signal = request.signal
      return new Response('ok')
    })
    await (await fetch(url(port))).text()
    await (await fetch(url(port))).text()
    expect(signal?.aborted).toBe(false)
  })

  test.for([
    ['two hosts', 'GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example'],
    ['the same host twice', 'GET / HTTP/1.1\r\nHost: a.example\r\nhost: a.example'],
    [
      'two hosts beside an absolute address',
      'GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nHost: b.example',
    ],
    [
      'a host that is none beside an absolute address',
      'GET http://a.example/ HTTP/1.1\r\nHost: a b',
    ],
    ['an address of another scheme', 'GET ftp://a.example/x HTTP/1.1\r\nHost: a.example'],
    [
      'an address of a scheme that the URL parser knows',
      'GET wss://a.example/x HTTP/1.1\r\nHost: a.example',
    ],
  ] as const)('%s is 400', async ([, head]) => {
    let called = 0
    const port = await start(() => new Response(`call ${++called}`))
    expect(await spoken(port, head)).toMatch(/^HTTP\/1\.1 400 [\s\S]*"BAD_REQUEST"/)
    expect(called).toBe(0)
  })

  test.for([
    [
      'an absolute address',
      'GET http://a.example/x?y HTTP/1.1\r\nHost: a.example',
      'http://a.example/x?y',
    ],
    [
      'an absolute address in capitals',
      'GET HTTPS://a.example/x HTTP/1.1\r\nHost: a.example',
      'https://a.example/x',
    ],
    ['a path', 'GET /x HTTP/1.1\r\nHost: a.example:81', 'http://a.example:81/x'],
  ] as const)('%s is understood', async ([, head, address]) => {
    const port = await start((request) => new Response(request.url))
    expect(await spoken(port, head)).toMatch(
      new RegExp(`^HTTP/1\\.1 200 [^]*\\r\\n\\r\\n[^]*${address.replace('?', '\\?')}`),
    )
  })

  test('the connection stays usable after a body is refused unread', async () => {
    const port = await start(
      (request) => new Response(null, { status: request.method === 'POST' ? 413 : 200 }),
    )
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n${'a'.repeat(70_000)}` +
        'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
  })

  test('the connection stays usable after a body is refused half-read, unless the body is endless', async () => {
    const port = await start(async (request) => {
      if (request.method !== 'POST') return new Response('ok')
      const reader = request.body?.getReader()
      await reader?.read()
      await reader?.cancel()
      return new Response(null, { status: 413 })
    })
    const send = async (length: number) => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(
        `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n` +
          `${'a'.repeat(length)}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
      )
      let text = ''
      socket.on('data', (chunk) => (text += String(chunk)))
      await new Promise((resolve) => socket.once('close', resolve))
      return text.match(/HTTP\/1\.1 \d+/g)
    }
    expect(await send(300_000)).toEqual(['HTTP/1.1 413', 'HTTP/1.1 200'])
    expect(await send(6_000_000)).not.toContain('HTTP/1.1 200')
  })

  test('the client address is in the context; a host may find it elsewhere', async () => {
    const echo: FetchHandler = (_, context) => new Response(context.clientIp ?? 'none')
    expect((await raw(await start(echo), { headers: { 'x-forwarded-for': '9.9.9.9' } })).text).toBe(
      '127.0.0.1',
    )
    const trusted = await start(echo, { clientIp: (req) => String(req.headers['x-real-ip']) })
    expect((await raw(trusted, { headers: { 'x-real-ip': '192.0.2.7' } })).text).toBe('192.0.2.7')
    expect((await raw(await start(echo, { clientIp: () => undefined }), {})).text).toBe('none')
  })

  test('the address that the client asked is in the context', async () => {
    const handler = (options: NodeHandlerOptions = {}) =>
      toNodeHandler(
        way((_, { forwarded }) => Response.json(forwarded ?? null)),
        options,
      )
    const app = express()
    app.use('/data', handler())
    app.use('/behind', handler({ trustProxy: 1 }))
    app.use(handler())
    const port = await listen(app)
    const headers = { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/eu' }
    const bodyAt = async (path: string) => (await fetch(url(port, path), { headers })).json()
    expect(await bodyAt('/data/x')).toEqual({ prefix: '/data' })
    expect(await bodyAt('/behind/x')).toEqual({ proto: 'https', prefix: '/eu/behind' })
    expect(await bodyAt('/x')).toBeNull()
  })

  test('below an Express mount point the handler sees the rest of the path; a parsed body is refused', async () => {
    const errors: unknown[] = []
    const handler = toNodeHandler(
      async (request) => new Response(`${new URL(request.url).pathname} ${await request.text()}`),
      { onError: (error) => errors.push(error) },
    )
    const app = express()
    app.use('/data', handler)
    app.use(express.json())
    app.use('/late', handler)
    const port = await listen(app)
    const post = async (path: string) => {
      const response = await fetch(url(port, path), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"a":1}',
      })
      return [response.status, await response.text()]
    }
    expect(await post('/data/api/v1/tasks')).toEqual([200, '/api/v1/tasks {"a":1}'])
    expect(await post('/data')).toEqual([200, '/ {"a":1}'])
    expect((await post('/late/x'))[0]).toBe(500)
    expect(String(errors[0])).toContain('before any body parser')
  })
})

test('a reply leaves with its length and in one packet, and without a body where there is none', async () => {
  const reply = (status: number, body: string | null) =>
    listen(
      toNodeHandler(
        Object.assign(() => new Response('not this'), {
          reply: async () => ({ status, headers: { 'X-Own': 'yes' }, body }),
        }),
      ),
    )
  const { status, message, text } = await raw(await reply(201, 'h\u00e9llo'), {})
  expect([
    status,
    text,
    message.headers['x-own'],
    message.headers['content-length'],
    message.headers['transfer-encoding'],
  ]).toEqual([201, 'h\u00e9llo', 'yes', '6', undefined])
  const none = await raw(await reply(304, null), {})
  expect([none.status, none.text, none.message.headers['content-length']]).toEqual([
    304,
    '',
    undefined,
  ])
})

test('a reply that fails is an opaque 500', async () => {
  const errors: unknown[] = []
  const port = await listen(
    toNodeHandler(
      Object.assign(() => new Response('not this'), {
        reply: () => Promise.reject(new Error('secret')),
      }),
      { onError: (error) => errors.push(error) },
    ),
  )
  expect((await raw(port, {})).status).toBe(500)
  expect(errors).toEqual([new Error('secret')])
})

test('a body is streamed to a reply as it comes, and what it leaves unread does not block the connection', async () => {
  const port = await listen(
    toNodeHandler(
      Object.assign(() => new Response('not this'), {
        reply: async ({ method, body }: LazyRequest) => ({
          status: 200,
          headers: {},
          body: method === 'POST' ? 'refused' : body ? await new Response(body).text() : 'none',
        }),
      }),
    ),
  )
  expect(
    (await raw(port, { method: 'PUT', headers: { 'content-length': '5' } }, 'hello')).text,
  ).toBe('hello')
  expect(
    (await raw(port, { method: 'PUT', headers: { 'transfer-encoding': 'chunked' } }, 'hello')).text,
  ).toBe('hello')
  const socket = connect(port, '127.0.0.1')
  socket.write(
    `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n${'a'.repeat(70_000)}` +
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
  )
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  expect(text.match(/refused|none/g)).toEqual(['refused', 'none'])
})

test('a request with a body tells of a client that leaves without a signal, and to those who ask late', async () => {
  const stops: string[] = []
  const left = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const port = await listen(
    toNodeHandler(
      Object.assign(() => new Response('not this'), {
        async reply(request: LazyRequest) {
          request.whenLeft?.(() => {
            stops.push('left')
            left.resolve()
          })
          begun.resolve()
          await left.promise
          request.whenLeft?.(() => stops.push('late'))
          stops.push(`aborted: ${request.signal.aborted}`)
          return { status: 200, headers: {}, body: '' }
        },
      }),
    ),
  )
  const socket = connect(port, '127.0.0.1')
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello')
  await begun.promise
  socket.destroy()
  await left.promise
  await vi.waitFor(() => expect(stops).toEqual(['left', 'late', 'aborted: true']))
})
