import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSmall, partsOf, ValueJoiner } from '../../../adapters/node/value-parts.ts'

function rejoined(value: unknown): unknown {
  const joiner = new ValueJoiner()
  for (const part of partsOf(value)) joiner.add(structuredClone(part))
  return joiner.value
}

test('a value that is divided into parts is joined to an equal value', () => {
  const large = fc.jsonValue().chain((value) =>
    fc.constantFrom<unknown>(
      value,
      Array.from({ length: 3_000 }, () => ({ value })),
      {
        a: Array.from({ length: 5_000 }, () => value),
        b: { c: [[value]], d: Array.from({ length: 9_000 }, (_, index) => index) },
      },
      Object.fromEntries(Array.from({ length: 6_000 }, (_, index) => [`k${index}`, value])),
      [[], Array.from({ length: 5_000 }, () => [[]]), {}],
    ),
  )
  fc.assert(
    fc.property(large, (value) => {
      expect(rejoined(value)).toEqual(structuredClone(value))
    }),
    { numRuns: 60 },
  )
  const hostile: unknown = JSON.parse(`{"__proto__":[${'{"__proto__":1},'.repeat(5_000)}null]}`)
  expect(JSON.stringify(rejoined(hostile))).toBe(JSON.stringify(hostile))
})

test('no part is large, except a single long text', () => {
  const value = {
    rows: Array.from({ length: 20_000 }, (_, index) => ({
      at: index,
      text: 'x'.repeat(300),
      tags: ['a', 'b'],
    })),
    one: 'y'.repeat(5_000_000),
  }
  const parts = [...partsOf(value)]
  expect(parts.length).toBeGreaterThan(20)
  for (const part of parts)
    if (!(part.kind === 'value' && typeof part.value === 'string'))
      expect(isSmall(part) || part.kind === 'items' || part.kind === 'members').toBe(true)
  expect(
    Math.max(...parts.map((part) => (part.kind === 'items' ? part.items.length : 0))),
  ).toBeLessThan(4_000)
})
