import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Json, Row } from '../../../src/kernel/json.ts'
import { batches, columnsOf, inferColumns } from './written.ts'

const typeOf = async (values: readonly (Json | undefined)[]) => {
  const rows = values.map((value): Row => (value === undefined ? {} : { a: value }))
  return (await inferColumns(batches([rows]), columnsOf(['a'])))[0]?.type
}

it.each<[readonly (Json | undefined)[], string]>([
  [[], 'text'],
  [[null, undefined], 'text'],
  [['2026-01-05', null], 'text'],
  [[1, null, -3], 'integer'],
  [[1, 1.5], 'number'],
  [[1.5, 2], 'number'],
  [[2 ** 60, 1], 'number'],
  [[true], 'boolean'],
  [[[1]], 'json'],
  [[{ a: 1 }, null], 'json'],
  [['a', 1], 'json'],
  [[1, true], 'json'],
])('a column with the values %j has the type %s', async (values, type) => {
  expect(await typeOf(values)).toBe(type)
})

it('the type does not depend on the order of values', async () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.constant([1]),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(value, { maxLength: 6 }),
      async (values) => (await typeOf(values)) === (await typeOf(values.toReversed())),
    ),
  )
})
