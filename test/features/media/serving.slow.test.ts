import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createMediaLinks } from '../../../src/features/media/links.ts'
import { failingCases } from '../../support/failing-cases.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { gifOf, pngOf } from '../../support/fakes/image-bytes.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

const bytes = pngOf(3, 2)
const host = await createServiceHost()
const item = await addMedia(host, 'acme', {
  bytes,
  sourceUrl: 'https://shop.example.com/i/pen.png',
})
const foreign = await addMedia(host, 'globex', {
  bytes: gifOf(1, 1),
  sourceUrl: 'https://shop.example.com/a.gif',
})
const linkOf = async (id: string, key = host.key): Promise<string> =>
  new URL((await host.call('GET', `/api/v1/media/${id}`, { key })).body.data.url).href.replace(
    'http://host.test',
    '',
  )
const link = await linkOf(item)
const foreignLink = await linkOf(foreign, await host.keyOf('globex'))
const [path = '', token = ''] = link.split('?token=')
const get = (address: string, headers: Record<string, string> = {}, method = 'GET') =>
  host.send(method, address, { key: null, headers })
const bodyOf = async (response: Response) => new Uint8Array(await response.arrayBuffer())

describe('the bytes of a link', () => {
  it('have headers that prevent a browser from running them', async () => {
    const response = await get(link)
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '30',
      'content-disposition': `inline; filename="pen.png"; filename*=UTF-8''pen.png`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'cross-origin',
      'accept-ranges': 'bytes',
      etag: `"${item.slice(4)}"`,
      'cache-control': expect.stringMatching(/^private, max-age=\d+, immutable$/),
    })
    const age = Number(/\d+/.exec(response.headers.get('cache-control') ?? '')?.[0])
    expect(age).toBeGreaterThanOrEqual(3_600)
    expect(age).toBeLessThanOrEqual(4_500)
    expect(await bodyOf(response)).toEqual(bytes)
  })

  it.each([
    ['text/html', '<script>alert(1)</script>', 'application/octet-stream', 'attachment'],
    ['application/xhtml+xml', '<html/>', 'application/octet-stream', 'attachment'],
    ['text/xml', '<?xml version="1.0"?><a/>', 'application/octet-stream', 'attachment'],
    ['text/javascript', 'alert(1)', 'application/octet-stream', 'attachment'],
    ['image/png', '<script>alert(1)</script>', 'application/octet-stream', 'attachment'],
    [
      'image/svg+xml',
      '<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>',
      'image/svg+xml',
      'attachment',
    ],
    ['text/html', 'GIF89a\u0001\u0000\u0001\u0000<script>', 'image/gif', 'inline'],
    ['application/pdf', '%PDF-1.7', 'application/pdf', 'attachment'],
    ['text/plain', 'hello', 'text/plain; charset=utf-8', 'attachment'],
    ['', 'hello', 'application/octet-stream', 'attachment'],
  ])(
    'of type %s with the name %j are sent as %s, %s',
    async (declared, text, type, disposition) => {
      const id = await addMedia(host, 'acme', {
        bytes: new TextEncoder().encode(text),
        declared,
        sourceUrl: 'https://shop.example.com/x.html',
      })
      const response = await get(await linkOf(id))
      expect([
        response.status,
        response.headers.get('content-type'),
        response.headers.get('content-disposition')?.split(';')[0],
      ]).toEqual([200, type, disposition])
      expect(response.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
      expect(response.headers.get('content-disposition')).not.toContain('.html')
    },
  )

  it('are not sent to a client that has them, nor for HEAD', async () => {
    const etag = `"${item.slice(4)}"`
    const reads = host.blobs.reads.length
    for (const tag of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await get(link, { 'If-None-Match': tag })
      expect([response.status, response.headers.get('etag'), await response.text()]).toEqual([
        304,
        etag,
        '',
      ])
    }
    const head = await get(link, {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '30',
      '',
    ])
    expect((await get(link, { Range: 'bytes=0-3' }, 'HEAD')).status).toBe(200)
    expect(host.blobs.reads).toHaveLength(reads)
    expect((await get(link, { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  it.each<[string, number, string | null]>([
    ['bytes=0-3', 206, 'bytes 0-3/30'],
    ['bytes=4-', 206, 'bytes 4-29/30'],
    ['bytes=-5', 206, 'bytes 25-29/30'],
    ['bytes=-500', 206, 'bytes 0-29/30'],
    ['bytes=29-400', 206, 'bytes 29-29/30'],
    ['Bytes = 1 - 2', 206, 'bytes 1-2/30'],
    ['bytes=30-', 416, 'bytes */30'],
    ['bytes=400-500', 416, 'bytes */30'],
    ['bytes=-0', 416, 'bytes */30'],
    ['bytes=5-4', 200, null],
    ['bytes=', 200, null],
    ['bytes=-', 200, null],
    ['bytes=a-b', 200, null],
    ['bytes=0-1,3-4', 200, null],
    ['items=0-1', 200, null],
    ['bytes=99999999999999999-', 200, null],
    ['bytes=1-2x', 200, null],
  ])('for Range: %s are answered %i', async (range, status, part) => {
    const response = await get(link, { Range: range })
    expect([response.status, response.headers.get('content-range')]).toEqual([status, part])
    if (status === 416)
      return expect(await response.json()).toEqual({ error: 'There are only 30 bytes' })
    const [, first = 0, last = 29] = /(\d+)-(\d+)/.exec(part ?? '') ?? []
    const expected = bytes.slice(Number(first), Number(last) + 1)
    expect(response.headers.get('content-length')).toBe(String(expected.length))
    expect(await bodyOf(response)).toEqual(expected)
  })

  it('come whole if If-Range names other bytes', async () => {
    const etag = `"${item.slice(4)}"`
    expect((await get(link, { Range: 'bytes=0-1', 'If-Range': etag })).status).toBe(206)
    for (const other of [`W/${etag}`, '"other"', 'Tue, 01 Jan 2030 00:00:00 GMT'])
      expect((await get(link, { Range: 'bytes=0-1', 'If-Range': other })).status).toBe(200)
  })

  it('may be excluded by Accept', async () => {
    for (const Accept of ['image/*', 'application/json'])
      expect((await get(link, { Accept })).status).toBe(200)
    const response = await get(link, { Accept: 'text/html' })
    expect([response.status, await response.json()]).toEqual([
      406,
      { error: 'The response is image/png, which Accept excludes' },
    ])
    expect((await get(link, { Accept: 'image/png', 'If-None-Match': '*' })).status).toBe(304)
  })
})

describe('a wrong link', () => {
  const [, , owner = '', sha256 = '', name = ''] = path.split('/')
  const refusals: readonly (readonly [string, string, readonly number[]])[] = [
    ['no token', path, [403]],
    ['an empty token', `${path}?token=`, [403]],
    ['an API key as token', `${path}?token=${host.key}`, [403]],
    [
      'another item of the account',
      `/media/${owner}/${'0'.repeat(64)}/${name}?token=${token}`,
      [403],
    ],
    ['another name', `/media/${owner}/${sha256}/other.png?token=${token}`, [403]],
    ['another extension', `/media/${owner}/${sha256}/pen.html?token=${token}`, [403]],
    ['another account', `${foreignLink.split('?')[0]}?token=${token}`, [403]],
    [
      'the same item at another account',
      `/media/${foreignLink.split('/')[2]}/${sha256}/${name}?token=${token}`,
      [403],
    ],
    ['two tokens', `${link}&token=${token}`, [400]],
    ['another parameter', `${link}&redirect=https://evil.example.com`, [400]],
    // The URL parser makes another path of it: the token opens nothing else.
    ['traversal', `/media/${owner}/${sha256}/../../../api/v1/openapi?token=${token}`, [404]],
    [
      'traversal to another route',
      `/media/${owner}/${sha256}/../../../api/v1/tasks?token=${token}`,
      [401],
    ],
    ['traversal out of the item', `/media/${owner}/../${sha256}/${name}?token=${token}`, [404]],
    ['%2e%2e', `/media/${owner}/%2e%2e/${name}?token=${token}`, [404]],
    ['%2E%2e%2f', `/media/${owner}/%2E%2e%2f${sha256}/${name}?token=${token}`, [404]],
    ['%252e%252e%252f', `/media/${owner}/${sha256}/%252e%252e%252f${name}?token=${token}`, [404]],
    ['a slash in a segment', `/media/${owner}/${sha256}/x%2f${name}?token=${token}`, [404]],
    ['a backslash', `/media/${owner}/${sha256}/..%5c${name}?token=${token}`, [404]],
    ['a backslash as written', `/media/${owner}\\${sha256}\\..\\${name}?token=${token}`, [404]],
    ['overlong UTF-8', `/media/${owner}/${sha256}/%c0%ae%c0%ae%c0%af${name}?token=${token}`, [400]],
    ['fullwidth dots', `/media/${owner}/${sha256}/%ef%bc%8e%ef%bc%8e${name}?token=${token}`, [404]],
    ['NUL', `/media/${owner}/${sha256}/${name}%00.png?token=${token}`, [404]],
    ['a line break', `/media/${owner}/${sha256}/${name}%0d%0aX-Evil:1?token=${token}`, [404]],
    ['double slashes', `/media//${owner}/${sha256}/${name}?token=${token}`, [404]],
    ['double slashes before', `//media/${owner}/${sha256}/${name}?token=${token}`, [404]],
    ['a slash after', `${path}/?token=${token}`, [404]],
    ['an encoding of the same path', `/media/${owner}/${sha256}/p%65n.png?token=${token}`, [404]],
    ['capitals', `/media/${owner}/${sha256.toUpperCase()}/${name}?token=${token}`, [404]],
    ['MEDIA', `/MEDIA/${owner}/${sha256}/${name}?token=${token}`, [404]],
    ['too few parts', `/media/${owner}/${sha256}?token=${token}`, [404]],
    ['too many parts', `/media/${owner}/${sha256}/${name}/x?token=${token}`, [404]],
    ['no parts', '/media/', [404]],
    ['a prototype', `/media/__proto__/constructor/toString?token=${token}`, [404]],
  ]

  const expectRefusal = async ([, address, statuses]: (typeof refusals)[number]) => {
    const reads = host.blobs.reads.length
    const response = await get(address)
    expect(statuses).toContain(response.status)
    const body = await response.text()
    if (new URL(`http://host.test${address}`).pathname.startsWith('/media/'))
      expect(Object.keys(JSON.parse(body))).toEqual(['error'])
    for (const secret of ['acme', 'globex', 'PNG']) expect(body).not.toContain(secret)
    expect(host.blobs.reads).toHaveLength(reads)
  }

  it('is refused, reads no bytes and reveals nothing', async () => {
    expect(await failingCases(refusals, ([what]) => what, expectRefusal)).toEqual([])
  })

  it('reveals no account', () => {
    expect(link).not.toContain('acme')
  })

  it('is refused if anyone but the platform has changed any part of it', async () => {
    const clock = createFakeClock()
    const links = (secret: number) =>
      createMediaLinks({ secret: async () => new Uint8Array(32).fill(secret), clock })
    const own = links(1)
    const hash = fc.string({
      unit: fc.constantFrom(...'0123456789abcdef'),
      minLength: 64,
      maxLength: 64,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1 }),
        fc.string({ minLength: 1 }),
        hash,
        fc.nat(),
        fc.integer({ min: 1, max: 7 }),
        async (account, stranger, sha, where, bit) => {
          const signed = await own.sign(account, { sha256: sha, name: 'a.png' })
          const [address = '', good = ''] = signed.path.split('?token=')
          expect(await own.check(address, good)).toBe(signed.expiresAt)
          const index = where % good.length
          const flipped =
            good.slice(0, index) +
            String.fromCharCode(good.charCodeAt(index) ^ bit) +
            good.slice(index + 1)
          const position = where % address.length
          const moved =
            address.slice(0, position) +
            String.fromCharCode(address.charCodeAt(position) ^ bit) +
            address.slice(position + 1)
          expect([
            await own.check(address, flipped),
            await own.check(moved, good),
            await links(2).check(address, good),
          ]).toEqual([null, null, null])
          for (const odd of [
            `${good}A`,
            good.slice(0, -1),
            ` ${good}`,
            `0${good}`,
            good.toUpperCase() === good ? `${good}=` : good.toUpperCase(),
          ])
            expect(await own.check(address, odd)).toBeNull()
          if (stranger !== account) {
            const [elsewhere = ''] = (
              await own.sign(stranger, { sha256: sha, name: 'a.png' })
            ).path.split('?')
            expect(await own.check(elsewhere, good)).toBeNull()
          }
          const later = { ...clock, now: () => signed.expiresAt }
          expect(
            await createMediaLinks({
              secret: async () => new Uint8Array(32).fill(1),
              clock: later,
            }).check(address, good),
          ).toBeNull()
        },
      ),
      { numRuns: 100 },
    )
  })
})

it('a link to a record whose blob is gone or damaged is an error without details', async () => {
  const own = await createServiceHost()
  const id = await addMedia(own, 'acme', { bytes, sourceUrl: 'https://shop.example.com/pen.png' })
  const url = new URL((await own.call('GET', `/api/v1/media/${id}`)).body.data.url)
  for (const spoilt of [null, new Uint8Array(3)]) {
    Object.assign(own.blobs, { get: async () => spoilt })
    const response = await own.send('GET', url.pathname + url.search, { key: null })
    expect([response.status, await response.json()]).toEqual([
      500,
      { error: expect.stringMatching(/^Something went wrong on our side \(request req_\w+\)$/) },
    ])
  }
  expect(own.logged.filter(({ level }) => level === 'error')).toHaveLength(2)
})
