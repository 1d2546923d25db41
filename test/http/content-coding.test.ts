import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chooseCoding, encodeBody } from '../../src/http/content-coding.ts'

describe('the coding of an answer', () => {
  it.each([
    [null, 'identity'],
    ['', 'identity'],
    ['gzip', 'gzip'],
    ['GZip', 'gzip'],
    ['x-gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br', 'identity'],
    ['*', 'gzip'],
    ['gzip;q=0', 'identity'],
    ['gzip; q=0.5', 'gzip'],
    ['gzip;q=0.5, identity', 'identity'],
    ['gzip;q=0.5, identity;q=0.4', 'gzip'],
    ['gzip;q=0.5, *;q=1', 'identity'],
    ['gzip;q=0, *', 'identity'],
    ['identity;q=0', null],
    ['identity;q=0, br', null],
    ['identity;q=0, gzip;q=0.001', 'gzip'],
    ['*;q=0', null],
    ['*;q=0, gzip', 'gzip'],
    ['*;q=0, identity;q=0.1', 'identity'],
    ['gzip;q=2', 'identity'],
    ['gzip;level=9', 'identity'],
    [', ,gzip,', 'gzip'],
  ])('for %j is %j', (header, coding) => {
    expect(chooseCoding(header)).toBe(coding)
  })

  it('is chosen without an error for any header', () => {
    fc.assert(
      fc.property(fc.string(), (header) =>
        ['gzip', 'identity', null].includes(chooseCoding(header)),
      ),
    )
  })
})

describe('a body', () => {
  const text = 'value,'.repeat(20_000)
  const answer = (type = 'text/csv; charset=utf-8', body: BodyInit | null = text) =>
    new Response(body, { headers: { 'Content-Type': type, Vary: 'Origin' } })
  const codingFor = (header: string | null) =>
    new Request('http://host.test/', {
      headers: header === null ? {} : { 'Accept-Encoding': header },
    })
  const encode = (response: Response, header: string | null) =>
    encodeBody(response, codingFor(header), ['text/csv'])

  it('is compressed if the client accepts it, and Vary says so', async () => {
    const response = encode(answer(), 'gzip')
    expect([
      response.headers.get('content-encoding'),
      response.headers.get('vary'),
      response.headers.get('content-type'),
    ]).toEqual(['gzip', 'Origin, Accept-Encoding', 'text/csv; charset=utf-8'])
    const bytes = new Uint8Array(await response.arrayBuffer())
    expect(bytes.length).toBeLessThan(text.length / 50)
    expect(gunzipSync(bytes).toString()).toBe(text)
  })

  it.each([
    ['no Accept-Encoding is sent', 'text/csv', null],
    ['gzip is refused', 'text/csv', 'gzip;q=0'],
    ['the type is compressed already', 'application/zip', 'gzip'],
  ])('is not compressed if %s', async (_, type, header) => {
    const response = encode(answer(type), header)
    expect([response.headers.get('content-encoding'), response.headers.get('vary')]).toEqual([
      null,
      'Origin, Accept-Encoding',
    ])
    expect(await response.text()).toBe(text)
  })

  it('is compressed if nothing else is accepted, and 406 if no coding is accepted', async () => {
    expect(
      encode(answer('application/zip'), 'gzip, identity;q=0').headers.get('content-encoding'),
    ).toBe('gzip')
    let isCancelled = false
    const body = new ReadableStream({ cancel: () => void (isCancelled = true) })
    expect(() => encode(answer('text/csv', body), 'identity;q=0')).toThrow(
      expect.objectContaining({ code: 'NOT_ACCEPTABLE' }),
    )
    expect(isCancelled).toBe(true)
  })

  it('that breaks off also breaks off the compressed body, before its end', async () => {
    let chunks = 0
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (chunks++ === 20) controller.error(new Error('gone'))
        else controller.enqueue(crypto.getRandomValues(new Uint8Array(10_000)))
      },
    })
    const parts: Uint8Array[] = []
    const read = async () => {
      for await (const part of encode(answer('text/csv', body), 'gzip').body ?? []) parts.push(part)
    }
    await expect(read()).rejects.toThrow('gone')
    expect(() => gunzipSync(Buffer.concat(parts))).toThrow('unexpected end of file')
  })

  it('is cancelled with its compressed body, and is not read far in advance', async () => {
    let pulled = 0
    const cancelled = Promise.withResolvers<boolean>()
    const body = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => controller.enqueue(new Uint8Array(65_536).fill(pulled++)),
        cancel: () => cancelled.resolve(true),
      },
      { highWaterMark: 0 },
    )
    const compressed = encode(answer('text/csv', body), 'gzip').body
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBeLessThan(20)
    await compressed?.cancel()
    expect(await cancelled.promise).toBe(true)
  })
})
