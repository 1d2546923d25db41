import { expect, test } from 'vitest'
import { learned, withColumns } from '../../src/mcp/extended/learn-sources.ts'

const RECIPE = { extract: { items: '.card', fields: { rating: { model: 'The rating' } } } }
const RATING = {
  name: 'rating',
  as: null,
  many: false,
  parts: [],
  isTooDeep: false,
  question: 'The rating',
}

/** The results for the field and for the question; `rows`: the answer, then the detected columns. */
function learnedFrom(rows: readonly (readonly string[])[]) {
  const probe = withColumns(RECIPE, { stock: '.stock', stars: '.stars' })
  const [stock = '', stars = ''] = probe.beside.keys()
  const preview = {
    columns: ['rating', stock, stars],
    rows: rows.map((row) => ({ rating: row[0], [stock]: row[1], [stars]: row[2] })),
  }
  const { recipe, unlearned } = learned(RECIPE, probe, { questions: [RATING], preview })
  return [recipe.extract, unlearned]
}

const asks = [RECIPE.extract, ['rating']]
const reads = (source: string) => [{ ...RECIPE.extract, fields: { rating: source } }, []]

test.each([
  [
    'three rows of two values',
    [
      ['5', '5', '1'],
      ['4', '4', '2'],
      ['5', '5', '3'],
    ],
    reads('.stock'),
  ],
  [
    'the other column',
    [
      ['5', '1', '5'],
      ['4', '2', '4'],
      ['3', '3', '3'],
    ],
    reads('.stars'),
  ],
  ['one row', [['5', '5', '1']], asks],
  [
    'two rows',
    [
      ['5', '5', '1'],
      ['4', '4', '2'],
    ],
    asks,
  ],
  [
    'one value in all rows',
    [
      ['5', '5', '1'],
      ['5', '5', '2'],
      ['5', '5', '3'],
    ],
    asks,
  ],
  [
    'one value in two spellings',
    [
      ['Yes', 'yes', ''],
      ['yes', 'Yes', ''],
      ['yes ', 'yes', ''],
    ],
    asks,
  ],
  [
    'two columns that fit',
    [
      ['5', '5', '5'],
      ['4', '4', '4'],
      ['3', '3', '3'],
    ],
    asks,
  ],
  [
    'a row without a value',
    [
      ['5', '5', '1'],
      ['4', '4', '2'],
      ['', '', '3'],
    ],
    asks,
  ],
  [
    'a row that differs',
    [
      ['5', '5', '1'],
      ['4', '4', '2'],
      ['3', '2', '3'],
    ],
    asks,
  ],
])('a column takes the place of a question only if it is no chance: %s', (_, rows, result) => {
  expect(learnedFrom(rows)).toEqual(result)
})
