import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  bodyDigest,
  decodeProvenance,
  encodeProvenance,
} from '../../../src/features/common/provenance.ts'
import type { PageProvenance } from '../../../src/features/common/provenance.ts'

const digest = fc
  .array(fc.integer({ min: 0, max: 255 }), { minLength: 16, maxLength: 16 })
  .map((bytes) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join(''))

const page = fc.record<PageProvenance>({
  seq: fc.nat(1_000_000),
  fetchedAt: fc.option(fc.integer({ min: 1, max: 4_000_000_000_000 })),
  digest: fc.option(digest),
  sources: fc.array(
    fc.tuple(
      fc.constantFrom('', '1', '3', '013', '1'.repeat(300)),
      fc.integer({ min: 1, max: 60_000 }),
    ),
    { minLength: 1, maxLength: 4 },
  ),
})

it('provenance that was written is read back', () => {
  fc.assert(
    fc.property(fc.array(page, { maxLength: 20 }), (pages) => {
      expect(decodeProvenance(encodeProvenance(pages))).toEqual(pages)
    }),
  )
})

it('each further page takes 21 bytes', () => {
  const pages = Array.from({ length: 1_000 }, (_, seq) => ({
    seq,
    fetchedAt: 1_900_000_000_000 + seq * 15,
    digest: 'ab'.repeat(16),
    sources: [['1131', 1]] as const,
  }))
  const bytes = (count: number) => encodeProvenance(pages.slice(0, count)).length
  expect(bytes(1_000) - bytes(1)).toBe(999 * 20)
})

it('bytes that end too early are refused', () => {
  const bytes = encodeProvenance([
    { seq: 3, fetchedAt: 5, digest: 'ab'.repeat(16), sources: [['1', 2]] },
  ])
  for (let end = 4; end < bytes.length; end++)
    expect(() => decodeProvenance(bytes.subarray(0, end))).toThrow('damaged')
})

it('a digest is the first half of the SHA-256', async () => {
  expect(await bodyDigest(new TextEncoder().encode('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223')
})
