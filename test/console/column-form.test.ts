import { expect, test } from 'vitest'
import { entryOf, newStep, STEP_KINDS, stepOf } from '../../src/console/app/builder/steps.ts'
import { fieldOf, readingOf, sourcesOf, typeOf } from '../../src/console/app/builder/sources.ts'
import { uniqueOf, withUnique } from '../../src/console/app/builder/recipe.ts'
import type { RecipeField } from '../../src/console/app/builder/recipe.ts'
import { parseRecipe } from '../../src/engine/recipe/parse-recipe.ts'

const FIELDS: Readonly<Record<string, RecipeField>> = {
  plain: 'h1',
  path: './/dd[1]',
  attribute: { css: 'a', attr: 'href', as: 'url' },
  number: { css: 'i', as: { number: { decimal: ',' } } },
  integer: { xpath: '//i', as: { integer: { decimal: '.' } } },
  date: { css: 'time', as: { date: { order: 'mdy' } } },
  html: { css: 'p', as: 'html' },
  all: { css: 'li', many: true },
  pattern: { css: 'b', regex: '(\\d+)', group: 1 },
  fallbacks: ['h1', { css: 'h2', transform: ['trim'] }],
  steps: {
    css: 'b',
    transform: [
      'trim',
      'collapse',
      'lower',
      'upper',
      'name',
      { replace: ['a', 'b'] },
      { replace: { regex: '\\s+', with: ' ' } },
      { split: ',' },
      { item: -1 },
      { join: '; ' },
      { slice: [1] },
      { slice: [0, -2] },
      { prefix: 'https://' },
      { suffix: '!' },
      { map: { yes: true, no: false, one: 1, '2': '2', quoted: '"' } },
      { default: 'none' },
    ],
  },
}

test('the form writes the parts of a column that it shows as they were', () => {
  for (const [name, field] of Object.entries(FIELDS)) {
    const sources = sourcesOf(field)
    expect([name, sources]).not.toEqual([name, null])
    expect([name, fieldOf(sources ?? [])]).toEqual([name, field])
  }
})

test('the form leaves the parts that it cannot show to JSON', () => {
  const others: readonly RecipeField[] = [
    '$.price',
    { jsonld: '$..sku' },
    { css: 'b', json: '$.a' },
    { xpath: 'count(//li)' },
    { css: 'li', fields: { name: 'b' } },
    ['h1', { const: 1 }],
    { url: true },
    // Written by hand, and refused by the server.
    JSON.parse('{ "css": 5 }'),
    JSON.parse('{ "css": "b", "as": { "number": { "decimal": ";" } } }'),
    JSON.parse('{ "css": "b", "transform": [{ "replace": ["a", "b"], "split": "," }] }'),
    JSON.parse('{ "css": "b", "group": null }'),
  ]
  for (const field of others) expect([field, sourcesOf(field)]).toEqual([field, null])
})

test('a new step of each kind is taken by the server, and by the form', () => {
  for (const kind of STEP_KINDS) {
    const step = stepOf(newStep(kind))
    expect(entryOf(step)).toEqual(newStep(kind))
    const recipe = {
      start: { urls: ['https://shop.example/'] },
      extract: { fields: { name: { css: 'b', transform: [step] } } },
    }
    expect(() => parseRecipe(recipe), kind).not.toThrow()
  }
})

test('a format belongs to its type', () => {
  expect(readingOf('number', ',')).toEqual({ number: { decimal: ',' } })
  expect(readingOf('date', 'dmy')).toEqual({ date: { order: 'dmy' } })
  expect(readingOf('text', ',')).toBe('text')
  expect(readingOf('date', ',')).toBe('date')
  expect(typeOf({ integer: { decimal: '.' } })).toBe('integer')
})

test('columns identify a row until the last of them does not', () => {
  const recipe = { start: {}, output: { unique: ['sku'] } }
  expect(uniqueOf(recipe)).toEqual(['sku'])
  expect(withUnique(recipe, ['sku', 'size']).output).toEqual({ unique: ['sku', 'size'] })
  expect(withUnique(recipe, [])).toEqual({ start: {} })
})

test('a position that is not a whole number is never written as null', () => {
  for (const text of ['word', '', '1e999', '9'.repeat(400), 'Infinity'])
    expect(JSON.stringify(stepOf({ kind: 'item', args: [text] })), text).toBe('{"item":0}')
  expect(stepOf({ kind: 'slice', args: ['x', '-2'] })).toEqual({ slice: [0, -2] })
  expect(stepOf({ kind: 'slice', args: ['1.5', 'y'] })).toEqual({ slice: [1, 0] })
})
