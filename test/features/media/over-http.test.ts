import { once } from 'node:events'
import { createServer, request } from 'node:http'
import { expect, it } from 'vitest'
import { toNodeHandler } from '../../../adapters/node/handler.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

/** Sends a path unchanged, unlike `fetch`. */
function send(
  port: number,
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
): Promise<{ status: number; length: string | undefined; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, headers, method }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          length: response.headers['content-length'],
          body: Buffer.concat(chunks),
        }),
      )
    })
    sent.on('error', reject).end()
  })
}

it('media are served over node:http whole, in parts and for HEAD, and no path reaches other files', async () => {
  const host = await createServiceHost()
  const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251)
  const id = await addMedia(host, 'acme', { bytes, sourceUrl: 'https://shop.example.com/a/file' })
  const { pathname, search } = new URL(
    (await host.call('GET', `/api/v1/media/${id}`)).body.data.url,
  )
  const server = createServer(toNodeHandler(host.http)).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : expect.fail('no port')
    const whole = await send(port, pathname + search)
    expect([whole.status, whole.length, Buffer.compare(whole.body, bytes)]).toEqual([
      200,
      '300000',
      0,
    ])
    const part = await send(port, pathname + search, { range: 'bytes=100000-199999' })
    expect([
      part.status,
      part.length,
      Buffer.compare(part.body, bytes.subarray(100_000, 200_000)),
    ]).toEqual([206, '100000', 0])
    expect(await send(port, pathname + search, {}, 'HEAD')).toEqual({
      status: 200,
      length: '300000',
      body: Buffer.alloc(0),
    })
    expect(await send(port, pathname + search, { 'if-none-match': '*' })).toMatchObject({
      status: 304,
      body: Buffer.alloc(0),
    })
    for (const path of [
      `/media/../media${pathname.slice(6)}/../x`,
      `/media/./x/..%2f..%2fetc/passwd`,
      `//media${pathname.slice(6)}`,
      `/media/%2e%2e/%2e%2e/etc`,
      `${pathname}/..;/x`,
      `/media\\..\\..\\x`,
      `/media/%2e%2e%2f${pathname.slice(7)}`,
    ]) {
      expect([path, (await send(port, path + search)).status]).toEqual([path, 404])
    }
  } finally {
    server.close()
  }
})
