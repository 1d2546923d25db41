import type { Platform } from 'seine'
import { equal, like, that } from '../cases/expect.ts'
import type { Case } from '../cases/stage.ts'

type Handler = (
  request: Request,
  context: { readonly clientIp?: string },
) => Response | Promise<Response>

/** `serve` of any runtime. */
export type ServeAny = (options: {
  readonly port: number
  readonly platform?: Platform
  readonly fetch?: Handler
  readonly closeTimeoutMs?: number
  readonly trustProxy?: number
  readonly onError?: (error: unknown) => void
}) => Promise<{ readonly url: string; readonly port: number; close(): Promise<void> }>

/** The cases of servers; workerd has no server of its own. */
export function createServerCases(serve: ServeAny): readonly Case[] {
  return [
    {
      name: 'server: closing lets a running request end and takes no new one',
      async run() {
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
        const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
        const server = await serve({
          port: 0,
          async fetch() {
            arrive()
            await mayEnd
            return new Response('done')
          },
        })
        const running = fetch(server.url)
        await arrived
        const closed = server.close()
        const refused = await fetch(server.url).then(
          () => 'answered',
          () => 'refused',
        )
        end()
        equal([refused, await (await running).text()], ['refused', 'done'])
        await closed
        await server.close()
      },
    },
    {
      name: 'server: closing ends streams of events, and breaks off what takes longer than it may',
      async run() {
        const encoder = new TextEncoder()
        const events = () =>
          new Response(
            new ReadableStream({
              start: (controller) => controller.enqueue(encoder.encode('data: 1\n\n')),
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          )
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
        const never = () => {
          arrive()
          return new Promise<Response>(() => {})
        }
        const server = await serve({
          port: 0,
          closeTimeoutMs: 300,
          fetch: (request) => (request.url.endsWith('/never') ? never() : events()),
        })
        const stream = await fetch(server.url)
        const reader = stream.body?.getReader()
        equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n')
        // Deno cannot break an answer off: there it is an answer that says so.
        const stuck = fetch(`${server.url}/never`).then(
          ({ status }) => (status === 503 ? 'broken off' : 'answered'),
          () => 'broken off',
        )
        // It must have arrived, as a later request of the same client is answered first.
        await arrived
        const began = performance.now()
        const closed = server.close()
        equal((await reader?.read())?.done, true, 'the end of the stream')
        await closed
        equal(await stuck, 'broken off')
        that(performance.now() - began < 8_000, 'it took as long as it may')
      },
    },
    {
      name: 'server: the handler knows the client, by the proxies that are trusted only',
      async run() {
        const headers = { 'x-forwarded-for': '203.0.113.7' }
        const bodies: string[] = []
        for (const trust of [{}, { trustProxy: 1 }]) {
          const server = await serve({
            port: 0,
            fetch: (_request, { clientIp = '' }) => new Response(clientIp),
            ...trust,
          })
          bodies.push(await (await fetch(server.url, { headers })).text())
          await server.close()
        }
        like(bodies[0], /^(::ffff:)?127\.0\.0\.1$/, 'without a proxy')
        equal(bodies[1], '203.0.113.7')
      },
    },
    {
      name: 'server: what a handler throws is told to the host and to nobody else',
      async run() {
        const errors: unknown[] = []
        const server = await serve({
          port: 0,
          onError: (error) => errors.push(error),
          fetch: () => {
            throw new Error('secret')
          },
        })
        const response = await fetch(server.url)
        equal(
          [response.status, JSON.parse(await response.text())],
          [
            500,
            {
              success: false,
              error: { code: 'INTERNAL_SERVER_ERROR', message: 'Internal server error' },
            },
          ],
        )
        equal(errors.map(String), ['Error: secret'])
        await server.close()
      },
    },
    {
      name: 'server: a client that leaves aborts the signal of its request',
      async run() {
        const { promise: aborted, resolve: abort } = Promise.withResolvers<void>()
        const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
        const server = await serve({
          port: 0,
          fetch: ({ signal }) => {
            signal.addEventListener('abort', () => abort())
            arrive()
            return new Promise<Response>(() => {})
          },
          closeTimeoutMs: 100,
        })
        const leave = new AbortController()
        const request = fetch(server.url, { signal: leave.signal }).catch(() => 'left')
        await arrived
        leave.abort()
        await Promise.all([aborted, request])
        await server.close()
      },
    },
    {
      name: 'server: a port that is taken is refused',
      async run() {
        const server = await serve({ port: 0, fetch: () => new Response('first') })
        const second = await serve({ port: server.port, fetch: () => new Response('second') }).then(
          async (other) => {
            await other.close()
            return 'listens too'
          },
          () => 'refused',
        )
        equal([second, await (await fetch(server.url)).text()], ['refused', 'first'])
        await server.close()
      },
    },
  ]
}
