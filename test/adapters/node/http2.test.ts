import { once } from 'node:events'
import { connect, createServer, type OutgoingHttpHeaders } from 'node:http2'
import { afterEach, expect, test } from 'vitest'
import { toNodeHandler, type FetchHandler } from '../../../adapters/node/handler.ts'
import type { LazyRequest } from '../../../src/kernel/http/message.ts'

const closing: (() => void)[] = []
afterEach(() => {
  for (const close of closing.splice(0)) close()
})

/** The answer to a request over HTTP/2 whose body is sent in two parts. */
async function ask(
  fetch: FetchHandler,
  headers: OutgoingHttpHeaders,
  parts: readonly string[] = [],
): Promise<{ status: unknown; text: string }> {
  const server = createServer().on('request', toNodeHandler(fetch))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  const client = connect(`http://127.0.0.1:${address.port}`)
  closing.push(() => {
    client.destroy()
    server.close()
  })
  const stream = client.request(headers, { endStream: parts.length === 0 })
  for (const part of parts) stream.write(part)
  if (parts.length > 0) stream.end()
  const [answer]: { ':status'?: number }[] = await once(stream, 'response')
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return { status: answer?.[':status'], text }
}

const echo: FetchHandler = async (request) =>
  new Response(`${request.method} ${new URL(request.url).pathname} ${await request.text()}`, {
    status: 201,
  })
/** A handler like the platform's, which needs less than a `Request`. */
const lazy: FetchHandler = Object.assign((request: Request) => echo(request, {}), {
  reply: async (request: LazyRequest) => echo(request.toRequest(), {}),
})

test.each([
  ['fetch', echo],
  ['reply', lazy],
])('a body over HTTP/2 needs no length, with %s', async (_, fetch) => {
  const headers = { ':method': 'POST', ':path': '/a', 'content-type': 'application/json' }
  expect(await ask(fetch, headers, ['{"a":', '1}'])).toEqual({
    status: 201,
    text: 'POST /a {"a":1}',
  })
  expect(await ask(fetch, { ...headers, host: 'own.example' }, ['{}'])).toEqual({
    status: 201,
    text: 'POST /a {}',
  })
  expect(await ask(fetch, headers)).toEqual({ status: 201, text: 'POST /a ' })
  expect(await ask(fetch, { ':path': '/b' })).toEqual({ status: 201, text: 'GET /b ' })
})
