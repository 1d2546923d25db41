import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { createNodeFetcher } from '../../../adapters/node/fetcher.ts'
import { serveHttp, serveHttps, serveRaw, testCertificate } from '../../support/loopback.ts'
import { hop } from '../../support/hop.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const text = (body: Uint8Array) => new TextDecoder().decode(body)

test('one connection carries one exchange after the other, also redirects and errors', async () => {
  await using site = await serveHttp((request, response) => {
    if (request.url === '/r') response.writeHead(302, { location: '/' }).end('x'.repeat(10_000))
    else response.writeHead(request.url === '/404' ? 404 : 200).end('fine')
  })
  const fetcher = createNodeFetcher()
  for (const path of ['/', '/r', '/404', '/r', '/']) await fetcher.send(hop(site.origin + path))
  expect(site.connections).toBe(1)
  await fetcher.close()
})

test('the handshake is told with the first exchange of a connection, and the first byte with each', async () => {
  await using site = await serveHttp((_, response) => void response.end('x'))
  const fetcher = createNodeFetcher()
  const { timings: first } = await fetcher.send(hop(site.origin))
  expect(Object.keys(first ?? {})).toEqual(['connectMs', 'firstByteMs'])
  const { timings: second } = await fetcher.send(hop(site.origin))
  expect(Object.keys(second ?? {})).toEqual(['firstByteMs'])
  await fetcher.close()
})

test('a host gets no more connections than allowed', async () => {
  await using site = await serveHttp((_, response) => void response.end('x'))
  const fetcher = createNodeFetcher({ maxSocketsPerHost: 3 })
  await Promise.all(Array.from({ length: 30 }, () => fetcher.send(hop(site.origin))))
  expect(site.connections).toBeLessThanOrEqual(3)
  await fetcher.close()
})

test('a kept connection that the server closed is replaced without an error, once, but never for a POST', async () => {
  let isHostile = false
  await using site = await serveRaw((socket, nth) => {
    if (isHostile || nth % 2 === 0) socket.destroy()
    else socket.write(OK)
  })
  const fetcher = createNodeFetcher()
  expect((await fetcher.send(hop(site.origin))).status).toBe(200)
  // The second head is dropped, the third is answered.
  expect((await fetcher.send(hop(site.origin))).status).toBe(200)
  expect(site.connections).toBe(2)
  const first = createNodeFetcher()
  await first.send(hop(site.origin)).catch(() => undefined)
  await first.send(hop(site.origin))
  await expect(
    first.send(hop(site.origin, { method: 'POST', body: new Uint8Array(1) })),
  ).rejects.toMatchObject({ reason: 'connection' })
  isHostile = true
  await expect(fetcher.send(hop(site.origin))).rejects.toMatchObject({ reason: 'connection' })
  await fetcher.close()
  await first.close()
})

test('the time for which a server keeps idle connections does not limit the time of its answers', async () => {
  const hint = 'HTTP/1.1 200 OK\r\nKeep-Alive: timeout=6\r\nContent-Length: 2\r\n\r\nok'
  // A socket's timer runs on real time. Node leaves such a connection half of the announced time.
  await using site = await serveRaw(
    (socket, nth) =>
      void (nth === 1 ? socket.write(hint) : setTimeout(() => socket.write(OK), 3_300)),
  )
  const fetcher = createNodeFetcher()
  await fetcher.send(hop(site.origin))
  expect(text((await fetcher.send(hop(site.origin))).body)).toBe('ok')
  expect(site.connections).toBe(1)
  await fetcher.close()
})

test('connections go to the given addresses only, whatever the name resolves to', async () => {
  await using site = await serveHttp((request, response) => void response.end(request.headers.host))
  const fetcher = createNodeFetcher({
    lookup: () => Promise.reject(new Error('must not be asked')),
  })
  const url = `http://site.test:${site.port}/`
  expect(text((await fetcher.send(hop(url, { addresses: ['127.0.0.1'] }))).body)).toBe(
    `site.test:${site.port}`,
  )
  await fetcher.close()
})

test('the next address is tried when one refuses', async () => {
  await using site = await serveHttp((_, response) => void response.end('x'))
  const fetcher = createNodeFetcher()
  const response = await fetcher.send(
    hop(`http://site.test:${site.port}/`, { addresses: ['::1', '127.0.0.1'] }),
  )
  expect(response.status).toBe(200)
  await fetcher.close()
})

test('the TLS certificate is checked against the name, not the address', async () => {
  await using site = await serveHttps((_, response) => void response.end('secret'))
  const addresses = ['127.0.0.1']
  const trusting = createNodeFetcher({ ca: testCertificate })
  expect(
    text((await trusting.send(hop(`https://site.test:${site.port}/`, { addresses }))).body),
  ).toBe('secret')
  await expect(
    trusting.send(hop(`https://other.test:${site.port}/`, { addresses })),
  ).rejects.toMatchObject({ reason: 'tls', message: 'The certificate is for another host.' })
  const strict = createNodeFetcher()
  await expect(
    strict.send(hop(`https://site.test:${site.port}/`, { addresses })),
  ).rejects.toMatchObject({ reason: 'tls' })
  await using plain = await serveHttp((_, response) => void response.end('x'))
  await expect(strict.send(hop(`https://127.0.0.1:${plain.port}/`))).rejects.toMatchObject({
    reason: 'tls',
  })
  await trusting.close()
  await strict.close()
})

test.for([
  ['no HTTP', 'SSH-2.0-x\r\n\r\n', 'protocol'],
  ['a bad length', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok', 'protocol'],
  ['a bad chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nxx', 'protocol'],
  ['a header of 100 KB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`, 'protocol'],
  [
    'three codings',
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\nContent-Length: 2\r\n\r\nok',
    'protocol',
  ],
  [
    'a false coding',
    'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nok',
    'protocol',
  ],
] as const)('%s is a failure with a reason', async ([, bytes, reason]) => {
  await using site = await serveRaw((socket) => socket.end(bytes, 'latin1'))
  const fetcher = createNodeFetcher()
  await expect(fetcher.send(hop(site.origin))).rejects.toMatchObject({
    name: 'FetchFailure',
    reason,
  })
  await fetcher.close()
})

test('unusual answers that can be read are read', async () => {
  const answers = [
    'HTTP/1.0 200 OK\r\n\r\nuntil the end',
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}\r\nConnection: close\r\n\r\nuntil the end`,
    'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200\r\n__proto__: x\r\nCONSTRUCTOR: y\r\n' +
      'Location: /a\r\nLocation: /b\r\nConnection: close\r\n\r\nuntil the end',
  ]
  await using site = await serveRaw((socket, nth) => socket.end(answers[nth - 1] ?? '', 'latin1'))
  const fetcher = createNodeFetcher()
  const responses = []
  for (const _ of answers) responses.push(await fetcher.send(hop(site.origin)))
  expect(responses.map(({ body }) => text(body))).toEqual(answers.map(() => 'until the end'))
  expect(Object.entries(responses[2]?.headers ?? {})).toEqual(
    expect.arrayContaining([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['location', '/a'],
    ]),
  )
  await fetcher.close()
})

test('a request ends when the server is silent: before its answer, within a body, or in a handshake', async () => {
  await using site = await serveRaw((socket, nth) => {
    if (nth > 1) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
  })
  const fetcher = createNodeFetcher({ idleTimeoutMs: 40 })
  for (let nth = 0; nth < 2; nth++)
    await expect(fetcher.send(hop(site.origin))).rejects.toMatchObject({ reason: 'timeout' })
  const hasty = createNodeFetcher({ connectTimeoutMs: 40 })
  await expect(hasty.send(hop(site.origin.replace('http:', 'https:')))).rejects.toMatchObject({
    reason: 'timeout',
    message: 'The connection timed out.',
  })
  await fetcher.close()
  await hasty.close()
})

test('the parts of a long page do not stay in memory until the garbage collector comes', async () => {
  const megabyte = 1_000_000
  // Its length is not told, so that it is read until it is too long.
  const answer = Buffer.concat([
    Buffer.from('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n'),
    Buffer.alloc(8 * megabyte),
  ])
  await using site = await serveRaw((socket) => void socket.end(answer))
  const fetcher = createNodeFetcher()
  /** Megabytes that an answer leaves: the median of five, as a collection may fall into some. */
  const heldAfter = async (maxBytes: number): Promise<number> => {
    const rises: number[] = []
    while (rises.length < 5) {
      const before = process.memoryUsage().arrayBuffers
      await fetcher.send(hop(site.origin, { maxBytes, whole: true }))
      rises.push((process.memoryUsage().arrayBuffers - before) / megabyte)
    }
    return rises.toSorted((a, b) => a - b)[2] ?? Number.NaN
  }
  // The page, as much for Node's own reads, and the last part.
  expect(await heldAfter(9 * megabyte)).toBeLessThan(8 + 8 + 4)
  expect(await heldAfter(7 * megabyte)).toBeLessThan(7 + 8 + 4)
  await fetcher.close()
})

test('a name is looked up once for requests at the same time, and a failure is not remembered', async () => {
  const hosts: string[] = []
  const fetcher = createNodeFetcher({
    lookup: async (host) => {
      hosts.push(host)
      if (hosts.length === 1)
        throw Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })
      return ['1.1.1.1']
    },
  })
  const { signal } = new AbortController()
  await expect(fetcher.resolve('a.test', signal)).rejects.toMatchObject({
    reason: 'dns',
    message: 'The host name was not found.',
  })
  expect(
    await Promise.all([fetcher.resolve('a.test', signal), fetcher.resolve('a.test', signal)]),
  ).toEqual([['1.1.1.1'], ['1.1.1.1']])
  expect(hosts).toEqual(['a.test', 'a.test'])
  await expect(fetcher.resolve('b.test', AbortSignal.abort())).rejects.toMatchObject({
    reason: 'aborted',
  })
  const hanging = createNodeFetcher({ lookup: () => new Promise(() => undefined), dnsCacheMs: 0 })
  const controller = new AbortController()
  const pending = hanging.resolve('a.test', controller.signal)
  controller.abort()
  await expect(pending).rejects.toMatchObject({ reason: 'aborted' })
})

test('the system resolves localhost', async () => {
  const addresses = await createNodeFetcher().resolve('localhost', new AbortController().signal)
  expect(addresses.some((address) => address === '127.0.0.1' || address === '::1')).toBe(true)
})

test('a process without more work ends, although connections were kept', async () => {
  await using site = await serveHttp((_, response) => void response.end('x'))
  const fetcherFile = fileURLToPath(new URL('../../../adapters/node/fetcher.ts', import.meta.url))
  const script = `
    const { createNodeFetcher } = await import(${JSON.stringify(fetcherFile)})
    const fetcher = createNodeFetcher()
    const url = new URL(${JSON.stringify(site.origin)})
    const { signal } = new AbortController()
    await fetcher.send({ url, method: 'GET', headers: {}, addresses: null, maxBytes: 9, signal })
    await fetcher.close()`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', script], {
    stdio: 'inherit',
  })
  expect((await once(child, 'exit'))[0]).toBe(0)
})
