import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createExactLines, projector } from '../../../src/engine/export/rows.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { hostileTable, hostileText } from './written.ts'

const slow = (columns: readonly string[], text: string) =>
  JSON.stringify(projector(columns)(JSON.parse(text) as Row))

describe('a row whose text is stored', () => {
  it('is written like a row that is parsed and written again', () => {
    const close = fc.constantFrom('a', 'b', 'ab', '1', '"', ',', ':', '[', ',"b":', 'é')
    const value: fc.Arbitrary<Json> = fc.oneof(
      fc.constantFrom('":', ':', ',', 'x,', ':y', '","b":', '{', '}', '\\', '"'),
      hostileText,
      fc.integer(),
      fc.constant(null),
      fc.array(fc.constantFrom('x,', ':y', 'b', '"')),
      fc.record({ b: fc.integer() }),
    )
    const pairs = fc.uniqueArray(fc.tuple(close, value), {
      selector: ([name]) => name,
      maxLength: 5,
    })
    fc.assert(
      fc.property(pairs, fc.uniqueArray(close, { minLength: 1, maxLength: 4 }), (row, columns) => {
        const text = JSON.stringify(Object.fromEntries(row))
        for (const names of [columns, row.map(([name]) => name)])
          expect(createExactLines(names)(text)).toBe(slow(names, text))
      }),
      { numRuns: 2_000 },
    )
    fc.assert(
      fc.property(hostileTable, ({ names, rows }) =>
        rows.every(
          (row) =>
            createExactLines(names)(JSON.stringify(row)) === slow(names, JSON.stringify(row)),
        ),
      ),
    )
  })

  it('is not parsed if its text fits the columns', () => {
    const exact = createExactLines(['title', 'price'])
    // This is not JSON, so parsing it would throw.
    expect(exact('{"title":"a \\"quoted\\" one","price":nothing}')).toBe(
      '{"title":"a \\"quoted\\" one","price":nothing}',
    )
    expect(() => exact('{"title":"a","price":nothing,"more":1}')).toThrow(SyntaxError)
    expect(() => exact('{"price":nothing,"title":"a"}')).toThrow(SyntaxError)
  })
})
