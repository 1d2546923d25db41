import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { toNodeHandler } from '../../../adapters/node/handler.ts'
import { watchBody } from '../../../src/http/read-request.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'
import { serveHttp } from '../../support/loopback.ts'
import { noisySegments } from '../../support/fakes/noisy-rows.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const LAST_CHUNK = '\r\n0\r\n\r\n'

/** The bytes that come over a socket until the server closes it, or has sent the whole answer. */
async function bytesFrom(
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  const parts: string[] = []
  socket.on('data', (data) => {
    parts.push(data.toString('latin1'))
    if (parts.slice(-2).join('').endsWith(LAST_CHUNK)) socket.end()
  })
  socket.on('error', () => undefined)
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: host.test\r\n${Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  )
  await once(socket, 'close')
  return parts.join('')
}

const host = await createServiceHost()
const segments = noisySegments(30, 200, 1_600)
const { id: whole } = await host.executionWith(segments)
const { id: broken } = await host.executionWith(segments)
await host.blobs.remove(`rows/${broken}/28.jsonl`)

test.for(
  FORMAT_NAMES.flatMap((format) => ['identity', 'gzip'].map((coding) => [format, coding] as const)),
)('the connection breaks when an export ends half-way: %s as %s', async ([format, coding]) => {
  const failures: unknown[] = []
  const loggedBefore = host.logged.length
  await using server = await serveHttp(
    toNodeHandler(host.http, { onError: (error) => failures.push(error) }),
  )
  const read = (id: string) =>
    bytesFrom(server.port, `/api/v1/executions/${id}/results/export?format=${format}`, {
      'X-API-Key': host.key,
      'Accept-Encoding': coding,
    })

  const file = await read(whole)
  expect(file.startsWith('HTTP/1.1 200 OK\r\n')).toBe(true)
  expect(file.endsWith(LAST_CHUNK)).toBe(true)
  expect(/\r\ncontent-encoding: gzip\r\n/i.test(file)).toBe(
    coding === 'gzip' && format !== 'xlsx' && format !== 'parquet',
  )
  expect([failures.length, host.logged.length]).toEqual([0, loggedBefore])

  const half = await read(broken)
  expect(half.startsWith('HTTP/1.1 200 OK\r\n')).toBe(true)
  expect(half.length).toBeGreaterThan(65_536)
  expect(half.length).toBeLessThan(file.length)
  expect(half.endsWith(LAST_CHUNK)).toBe(false)
  expect([failures.length, host.logged.length]).toEqual([1, loggedBefore + 1])
})

test('a body that fails while the client reads nothing ends the connection', async () => {
  let pulls = 0
  let breakOff = (): void => {}
  const endless = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      start: (controller) => void (breakOff = () => controller.error(new Error('too slow'))),
      pull: (controller) => controller.enqueue(new Uint8Array(++pulls && 65_536)),
    },
    { highWaterMark: 0 },
  )
  const accepted: Socket[] = []
  const listener = createServer(
    toNodeHandler(
      async () =>
        watchBody(new Response(endless), 'req_1', { debug() {}, info() {}, warn() {}, error() {} }),
      { onError: () => undefined },
    ),
  )
  listener.on('connection', (socket) => accepted.push(socket))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const address = listener.address()
  const client = connect(
    typeof address === 'object' ? (address?.port ?? 0) : 0,
    '127.0.0.1',
  ).pause()
  client.on('error', () => undefined)
  client.write('GET / HTTP/1.1\r\nHost: host.test\r\n\r\n')
  // Goes on until the buffers of the system are full, and the server asks for no more.
  let quiet = 0
  for (let turns = 0; quiet < 300 && turns < 100_000; turns++) {
    const before = pulls
    await new Promise((resolve) => setImmediate(resolve))
    quiet = before > 0 && before === pulls ? quiet + 1 : 0
  }
  expect([quiet, accepted[0]?.destroyed]).toEqual([300, false])
  breakOff()
  for (let turns = 0; !accepted[0]?.destroyed && turns < 10_000; turns++)
    await new Promise((resolve) => setImmediate(resolve))
  expect(accepted[0]?.destroyed).toBe(true)
  client.destroy()
  listener.close()
})
