import * as zlib from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ACCEPT_ENCODING, codingsOf, decode } from '../../../adapters/node/content-decoding.ts'
import type { DecodableCoding } from '../../../adapters/node/content-decoding.ts'

const MIB = 1024 * 1024
const encoders: Readonly<Record<DecodableCoding, (bytes: Uint8Array) => Uint8Array>> = {
  gzip: (bytes) => zlib.gzipSync(bytes),
  deflate: (bytes) => zlib.deflateSync(bytes),
  br: (bytes) => zlib.brotliCompressSync(bytes),
  zstd: (bytes) => zlib.zstdCompressSync(bytes),
}
const coding = fc.constantFrom<DecodableCoding>('gzip', 'deflate', 'br', 'zstd')

test('encoded bytes are decoded through one or two codings, and cut at the cap', async () => {
  const cases = fc.record({
    bytes: fc.uint8Array({ maxLength: 5_000 }),
    times: fc.constantFrom(1, 900),
    codings: fc.array(coding, { minLength: 1, maxLength: 2 }),
    cap: fc.nat(6_000_000),
  })
  await fc.assert(
    fc.asyncProperty(cases, async ({ bytes, times, codings, cap }) => {
      const plain = Buffer.concat(Array<Uint8Array>(times).fill(bytes))
      const encoded = codings.reduceRight<Uint8Array>(
        (body, name) => encoders[name](body),
        new Uint8Array(plain),
      )
      const { body, truncated } = await decode(encoded, codings, cap)
      expect(truncated).toBe(plain.byteLength > cap)
      expect(Buffer.compare(body, plain.subarray(0, cap))).toBe(0)
    }),
    {
      numRuns: 60,
      examples: [
        [{ bytes: Uint8Array.of(), times: 1, codings: ['gzip'], cap: 0 }],
        [{ bytes: Uint8Array.of(1), times: 1, codings: ['br'], cap: 0 }],
      ],
    },
  )
})

describe('decoding a bomb of 100 MiB stops at the cap', () => {
  const zeros = new Uint8Array(100 * MIB)
  const gzip = zlib.gzipSync(zeros)
  const bombs: readonly (readonly [string, Uint8Array, readonly DecodableCoding[]])[] = [
    ['gzip', gzip, ['gzip']],
    ['gzip in gzip', zlib.gzipSync(gzip), ['gzip', 'gzip']],
    ['brotli', zlib.brotliCompressSync(zeros), ['br']],
    ['zstd', zlib.zstdCompressSync(zeros), ['zstd']],
    ['gzip in brotli', zlib.brotliCompressSync(gzip), ['br', 'gzip']],
  ]
  test.for(bombs)('%s', async ([, bomb, codings]) => {
    const before = process.memoryUsage()
    const { body, truncated } = await decode(bomb, codings, 10 * MIB)
    const after = process.memoryUsage()
    expect([body.byteLength, truncated]).toEqual([10 * MIB, true])
    expect(
      after.arrayBuffers + after.heapUsed - before.arrayBuffers - before.heapUsed,
    ).toBeLessThan(48 * MIB)
  })
})

test('deflate without its header is understood', async () => {
  const text = new TextEncoder().encode('raw '.repeat(100_000))
  const { body } = await decode(zlib.deflateRawSync(text), ['deflate'], 10 * MIB)
  expect(Buffer.compare(body, text)).toBe(0)
  let state = 1
  const noise = Uint8Array.from(
    { length: 60_000 },
    () => (state = (state * 48_271) % 2_147_483_647) & 255,
  )
  const large = Buffer.concat(Array<Uint8Array>(12).fill(noise)) // Too large to be decoded at once.
  expect(
    Buffer.compare((await decode(zlib.deflateRawSync(large), ['deflate'], 10 * MIB)).body, large),
  ).toBe(0)
})

test.for<DecodableCoding>(['gzip', 'deflate', 'br', 'zstd'])(
  'a body of %s that ends early gives the bytes until there',
  async (name) => {
    const text = new TextEncoder().encode(
      Array.from({ length: 20_000 }, (_, index) => `line ${index * 7_919}\n`).join(''),
    )
    const whole = encoders[name](text)
    const { body } = await decode(whole.subarray(0, whole.byteLength - 10), [name], 10 * MIB)
    expect(body.byteLength).toBeGreaterThan(1_000)
    expect(Buffer.compare(body, text.subarray(0, body.byteLength))).toBe(0)
  },
)

test('bytes that are not in the named encoding fail with a reason, at once and as a stream', async () => {
  for (const length of [100, 400_000]) {
    const plain = new Uint8Array(length).fill(60)
    for (const name of ['gzip', 'br', 'zstd', 'deflate'] as const)
      await expect(decode(plain, [name], MIB)).rejects.toMatchObject({
        name: 'FetchFailure',
        reason: 'protocol',
      })
  }
})

test.for([
  ['gzip', ['gzip']],
  [' X-GZIP ', ['gzip']],
  ['gzip, br', ['br', 'gzip']],
  ['identity', []],
  ['utf-8', []],
  ['', []],
  [',,', []],
] as const)('Content-Encoding %j is read as %j', ([header, codings]) => {
  expect(codingsOf(header)).toEqual(codings)
})

test('more than two codings are refused', () => {
  expect(() => codingsOf('gzip, gzip, gzip')).toThrow(/more than 2/)
  expect(ACCEPT_ENCODING).toContain('br')
})
