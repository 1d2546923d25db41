import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BodyCollector } from '../../../adapters/node/body-collector.ts'

// Proves that a body is the same however its parts come, whatever length was announced for it.

test('the parts are joined in their order, up to the limit', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 12 }),
      fc.integer({ min: 0, max: 3_000_000 }),
      fc.integer({ min: 1, max: 3_000_000 }),
      (lengths, announced, maxBytes) => {
        const parts = lengths.map((length, index) => new Uint8Array(length).fill(index + 1))
        const expected = Buffer.concat(parts)
        const collector = new BodyCollector(announced, maxBytes)
        for (const part of parts) collector.add(part)
        expect(collector.length).toBe(expected.byteLength)
        const whole = collector.whole()
        expect(Buffer.compare(whole, expected.subarray(0, maxBytes))).toBe(0)
      },
    ),
    { numRuns: 60 },
  )
})

test('the memory of a large body whose length was announced is no larger than it', () => {
  const collector = new BodyCollector(1_000_000, 10_000_000)
  for (let count = 0; count < 10; count++) collector.add(new Uint8Array(100_000).fill(count))
  expect(collector.whole().buffer.byteLength).toBe(1_000_000)
})

test('an announced length alone costs no memory', () => {
  const collector = new BodyCollector(10_000_000, 10_000_000)
  collector.add(new Uint8Array(1_000))
  expect(collector.whole().buffer.byteLength).toBe(1_000)
})

test('the last part stays as it is, because the parser may still use it', () => {
  const collector = new BodyCollector(0, 10_000_000)
  const parts = Array.from({ length: 8 }, () => new Uint8Array(200_000).fill(7))
  for (const part of parts) {
    collector.add(part)
    expect(part.byteLength).toBe(200_000)
  }
})
