import { expect, test } from 'vitest'
import { checkExamples, type EntryExport } from './support/sources/examples.ts'
import { entries } from './support/sources/manifest.ts'
import { publicExports } from './support/sources/public-api.ts'
import { readSources } from './support/sources/sources.ts'

const sources = readSources('src', 'adapters', 'test/contracts')
const exports = entries.flatMap(({ name, source }) =>
  publicExports(source, sources).map((one) => ({ ...one, entry: name })),
)
const planted = (example: string): EntryExport => ({
  entry: 'seine',
  name: 'planted',
  declaredIn: 'src/index.ts',
  documented: true,
  isCode: true,
  examples: [example],
})

test('every example of a public export type-checks', () => {
  expect(exports.some(({ examples }) => examples.length > 0)).toBe(true)
  expect(checkExamples(exports)).toEqual([])
})

test('every public function and class has an example', () => {
  const missing = exports.filter(({ isCode, examples }) => isCode && examples.length === 0)
  expect(missing.map(({ entry, name }) => `${entry}: ${name}`)).toEqual([])
  expect(exports.filter(({ isCode }) => isCode).length).toBeGreaterThan(50)
})

test('planted: a wrong type, a missing import and a syntax error', () => {
  const problems = checkExamples([
    planted('const x: string = 1'),
    planted('nowhere()'),
    planted('const = 1'),
    planted("const url: URL = new URL('http://localhost/')"),
  ])
  expect(
    problems.some((text) => text.includes("'number' is not assignable to type 'string'")),
  ).toBe(true)
  expect(problems.some((text) => text.includes("Cannot find name 'nowhere'"))).toBe(true)
  expect(problems.length).toBeGreaterThanOrEqual(3)
})

test('a recipe with a typo does not compile', () => {
  const start = "start: { urls: ['https://shop.example/'] }"
  const price = (source: string) => `{ ${start}, extract: { fields: { price: ${source} } } }`
  const recipes = [
    price("['.price', { meta: 'price' }]"),
    `{ ${start}, follow: [{ links: 'a', as: 'b' }, { next: 'auto', maxPages: 5 }] }`,
    `{ ${start}, crwal: {} }`,
    `{ ${start}, crawl: { maxPage: 1 } }`,
    `{ ${start}, page: { render: 'browsr' } }`,
    price("{ csss: '.price' }"),
    price("{ css: '.price', as: 'nubmer' }"),
    price("{ css: '.price', transform: ['trimm'] }"),
    "{ extract: 'auto' }",
    `{ ${start}, follow: [{ links: 'a', maxPages: 5 }] }`,
    `{ ${start}, follow: [{ links: 'a', next: 'auto' }] }`,
  ]
  const examples = recipes.flatMap((recipe) => [
    `import { defineRecipe } from 'seine'\ndefineRecipe(${recipe})`,
    `await platform.api.tasks.create({ account: 'a', user: 'u', scopes: [] }, { recipe: ${recipe} })`,
  ])
  const wrong = checkExamples([{ ...planted(''), examples }]).map(
    (text) => /example (\d+)/.exec(text)?.[1],
  )
  // The first two recipes have no typo, and are in examples 1 to 4.
  expect([...new Set(wrong)]).toEqual(examples.map((_, index) => `${index + 1}`).slice(4))
})
