import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { giveBack } from '../../src/kernel/bytes.ts'
import { FetchFailure } from '../../src/kernel/failures.ts'
import type { Fetcher, HopRequest } from '../../src/ports/fetcher.ts'

/**
 * The tests that every Fetcher must pass, against a server on loopback. `make` is called once, and
 * the fetcher is closed at the end.
 *
 * @example
 *   import { createNodeFetcher } from 'seine/node'
 *
 *   fetcherContract('My fetcher', () => createNodeFetcher())
 */
export function fetcherContract(name: string, make: () => Fetcher): void {
  describe(`${name} keeps the Fetcher contract`, () => {
    const server = createServer(answer)
    let origin = ''
    let fetcher: Fetcher

    beforeAll(async () => {
      fetcher = make()
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const address = server.address()
      origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
    })
    afterAll(async () => {
      await fetcher.close()
      await fetcher.close() // A second close does no harm.
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    })

    const hop = (path: string, more: Partial<HopRequest> = {}): HopRequest => ({
      url: new URL(path, origin),
      method: 'GET',
      headers: {},
      addresses: null,
      maxBytes: 1_000_000,
      signal: new AbortController().signal,
      ...more,
    })
    const text = async (request: HopRequest) =>
      new TextDecoder().decode((await fetcher.send(request)).body)

    it('declares what it can do', () => {
      expect(typeof fetcher.capabilities.pinsAddresses).toBe('boolean')
    })

    it('gives status, headers and body unchanged', async () => {
      const response = await fetcher.send(hop('/teapot'))
      expect(response).toMatchObject({ status: 418, truncated: false })
      expect(response.headers['x-odd']).toBe('Caf\u00e9 \u00ff')
      expect(response.headers['x-many']).toBe('one, two')
      expect(response.headers['content-type']).toBe('text/plain')
      expect(new TextDecoder().decode(response.body)).toBe('short and stout')
    })

    it('gives an empty body if there is none', async () => {
      for (const path of ['/none', '/empty', '/not-modified'])
        expect((await fetcher.send(hop(path))).body.byteLength).toBe(0)
      expect(await fetcher.send(hop('/teapot', { method: 'HEAD' }))).toMatchObject({
        status: 418,
        body: { byteLength: 0 },
        truncated: false,
      })
    })

    it('sends method, path, headers and body', async () => {
      const body = new TextEncoder().encode('payload')
      const seen: unknown = JSON.parse(
        await text(
          hop('/echo?a=b%20c', {
            method: 'POST',
            headers: { 'x-own': 'yes', 'content-type': 'text/x' },
            body,
          }),
        ),
      )
      expect(seen).toMatchObject({
        method: 'POST',
        url: '/echo?a=b%20c',
        body: 'payload',
        headers: { 'x-own': 'yes', 'content-type': 'text/x', host: new URL(origin).host },
      })
    })

    it('follows no redirect', async () => {
      expect(await fetcher.send(hop('/redirect'))).toMatchObject({
        status: 302,
        headers: { location: '/echo' },
      })
    })

    it.for(['gzip', 'x-gzip', 'deflate', 'br'])('decodes %s', async (coding) => {
      expect(await text(hop(`/coded/${coding}`))).toBe(PAGE)
    })

    it('says that a body is owned only if nothing else lives in its memory', async () => {
      for (const path of ['/long', '/coded/gzip', '/coded/br', '/teapot', '/empty']) {
        const before = await fetcher.send(hop(path))
        const response = await fetcher.send(hop(path))
        if (response.isOwned === true) giveBack(response.body)
        expect([path, (await fetcher.send(hop(path))).body]).toEqual([path, before.body])
      }
    })

    it('tells times that agree, if it tells any', async () => {
      for (const path of ['/teapot', '/coded/gzip']) {
        const { timings: { connectMs = 0, firstByteMs = connectMs } = {} } = await fetcher.send(
          hop(path),
        )
        expect([path, connectMs >= 0, firstByteMs >= connectMs]).toEqual([path, true, true])
      }
    })

    it('cuts a body at the cap', async () => {
      for (const path of ['/long', '/coded/gzip']) {
        const response = await fetcher.send(hop(path, { maxBytes: 1_000 }))
        expect([path, response.body.byteLength, response.truncated]).toEqual([path, 1_000, true])
      }
      expect(await fetcher.send(hop('/long', { maxBytes: 300_000 }))).toMatchObject({
        body: { byteLength: 300_000 },
        truncated: false,
      })
    })

    it('reads nothing of a body whose length is above the cap, if the whole body is needed', async () => {
      // The server sends no byte of the body: a fetcher that waits for one fails.
      const request = hop('/announced', { maxBytes: 1_000, whole: true, method: 'GET' })
      expect(await fetcher.send(request)).toMatchObject({
        status: 200,
        body: { byteLength: 0 },
        truncated: true,
      })
      expect(await fetcher.send(hop('/long', { maxBytes: 300_000, whole: true }))).toMatchObject({
        body: { byteLength: 300_000 },
        truncated: false,
      })
      expect(await fetcher.send({ ...request, method: 'HEAD' })).toMatchObject({ truncated: false })
    })

    it('fails with a reason when the server hangs up', async () => {
      for (const path of ['/hang-up', '/cut'])
        await expect(fetcher.send(hop(path))).rejects.toMatchObject({
          name: 'FetchFailure',
          reason: 'connection',
        })
    })

    it('fails with a reason when nobody listens, and names no address', async () => {
      const failure: unknown = await fetcher
        .send(hop('http://127.0.0.1:1/'))
        .catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(FetchFailure)
      expect(failure).toMatchObject({ reason: 'connection' })
      expect(String(failure)).not.toContain('127.0.0.1')
    })

    it('obeys the signal before, during and after a request', async () => {
      await expect(
        fetcher.send(hop('/echo', { signal: AbortSignal.abort() })),
      ).rejects.toMatchObject({ reason: 'aborted' })
      for (const path of ['/silent', '/slow']) {
        const controller = new AbortController()
        const arrived = new Promise((resolve) => server.once('request', resolve))
        const pending = fetcher.send(hop(path, { signal: controller.signal }))
        pending.catch(() => undefined)
        await arrived
        controller.abort()
        await expect(pending).rejects.toMatchObject({ name: 'FetchFailure', reason: 'aborted' })
      }
      const controller = new AbortController()
      const response = await fetcher.send(hop('/teapot', { signal: controller.signal }))
      controller.abort()
      expect(response.status).toBe(418)
    })

    it('carries many exchanges at the same time', async () => {
      const bodies = await Promise.all(
        Array.from({ length: 50 }, (_, index) => text(hop(`/echo?${index}`))),
      )
      expect(bodies.map((body, index) => body.includes(`/echo?${index}"`))).not.toContain(false)
    })
  })
}

const PAGE = 'Herring, mackerel and sprat. '.repeat(1_000)
const CODED: Readonly<Record<string, Uint8Array>> = {
  gzip: gzipSync(PAGE),
  'x-gzip': gzipSync(PAGE),
  deflate: deflateSync(PAGE),
  'deflate-raw': deflateRawSync(PAGE),
  br: brotliCompressSync(PAGE),
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname } = new URL(request.url ?? '/', 'http://loopback')
  const coding = pathname.replace('/coded/', '')
  if (pathname === '/teapot')
    response
      .writeHead(418, {
        'content-type': 'text/plain',
        'x-many': ['one', 'two'],
        'x-odd': 'Caf\u00e9 \u00ff',
      })
      .end('short and stout')
  else if (pathname === '/none') response.writeHead(204).end()
  else if (pathname === '/empty')
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': 0 }).end()
  else if (pathname === '/not-modified') response.writeHead(304, { etag: '"1"' }).end()
  else if (pathname === '/redirect')
    response.writeHead(302, { location: '/echo' }).end('gone there')
  else if (coding in CODED)
    response.writeHead(200, { 'content-encoding': coding.replace('-raw', '') }).end(CODED[coding])
  else if (pathname === '/long') response.end(new Uint8Array(300_000))
  else if (pathname === '/announced') {
    response.writeHead(200, { 'content-length': 2_000 })
    if (request.method === 'HEAD') response.end()
    else response.flushHeaders()
  } else if (pathname === '/hang-up') request.socket.destroy()
  else if (pathname === '/cut')
    response
      .writeHead(200, { 'content-length': 100 })
      .write('only this', () => request.socket.destroy())
  else if (pathname === '/slow') response.writeHead(200).write('more will never come')
  else if (pathname === '/echo') echo(request, response)
}

function echo(request: IncomingMessage, response: ServerResponse): void {
  let body = ''
  request.on('data', (chunk: Uint8Array) => (body += new TextDecoder().decode(chunk)))
  request.on('end', () =>
    response.end(
      JSON.stringify({ method: request.method, url: request.url, headers: request.headers, body }),
    ),
  )
}
