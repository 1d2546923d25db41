import { expect, it, onTestFinished, vi } from 'vitest'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { MAX_RECIPE_SIZE } from '../../../src/engine/recipe/measure-recipe.ts'
import {
  parseRecipe,
  checkRecipe,
  demandSize,
  readFacts,
  readRecipe,
} from '../../../src/engine/recipe/parse-recipe.ts'

const start = { urls: ['https://shop.example/'] }

it('a parsed recipe has the written recipe and its meaning', () => {
  const source = { start: { urls: [' https://shop.example/ '] } }
  const parsed = parseRecipe(source)
  expect(parsed.written).toEqual(source)
  // A copy, so that what the caller changes later is not taken for checked.
  expect(parsed.written).not.toBe(source)
  expect(parsed.recipe.start.urls).toEqual(['https://shop.example/'])
})

it('a parsed recipe is not parsed again', () => {
  const parsed = parseRecipe({ start })
  expect(parseRecipe(parsed)).toBe(parsed)
  expect(parsed.facts).toBe(parsed.facts)
})

it.each([null, [], 'x', { start: 'x' }, {}])(
  '%j is refused as a recipe, also as a stored one',
  (source) => {
    expect(checkRecipe(source).issues).not.toBeNull()
    expect(() => parseRecipe(source)).toThrow(PlatformError)
    expect(() => readRecipe(source)).toThrow(PlatformError)
    expect(readFacts(source)).toBeNull()
  },
)

it('a stored recipe of any size is read; the limit of its size holds when it is compiled', () => {
  const urls = Array.from(
    { length: 9_000 },
    (_, index) => `https://shop.example/${index}?${'&'.repeat(40)}`,
  )
  expect(checkRecipe({ start: { urls } }).issues).toMatchObject([
    { path: expect.stringMatching(/^start\.urls\.\d+$/) },
  ])
  const stored = readRecipe({ start: { urls } })
  expect(stored.size.isLarge).toBe(true)
  expect(() => demandSize(stored)).toThrow(/makes the recipe too large/)
  expect(() => demandSize(stored, 2 * MAX_RECIPE_SIZE)).not.toThrow()
})

it.each([
  ['a field', { a: { regex: 'x' } }, true],
  [
    'a step of a field',
    { a: { css: 'p', transform: [{ replace: { regex: 'x', with: '' } }] } },
    true,
  ],
  ['a field in a field', { a: { css: 'p', fields: { b: ['i', { css: 'b', regex: 'x' }] } } }, true],
  ['no field, though a value and a name look like it', { regex: { const: { regex: 'x' } } }, false],
])('a recipe has patterns if one is in %s', (_, fields, has) => {
  expect(readFacts({ start, extract: { fields } })?.hasPatterns).toBe(has)
})

it.each([
  ['a filter of a source', { extract: { fields: { a: { json: '$[?match(@.a, "x")]' } } } }, true],
  [
    'a filter of the second source',
    { extract: { fields: { a: ['h1', { jsonld: '$[?search(@.a, "x")]' }] } } },
    true,
  ],
  ['no filter', { extract: { fields: { a: { json: '$[?@.match]' } } } }, false],
])('a recipe has patterns if JSONPath matches one in %s', (_, rest, has) => {
  expect(readFacts({ start, ...rest })?.hasPatterns).toBe(has)
})

it('the facts of a large recipe are found without its JSON', () => {
  const recipe = parseRecipe({ start, extract: { fields: { a: { const: 'x'.repeat(100_000) } } } })
  const stringify = vi.spyOn(JSON, 'stringify')
  onTestFinished(() => stringify.mockRestore())
  expect(recipe.facts.hasPatterns).toBe(false)
  expect(stringify).not.toHaveBeenCalled()
})

it('a parsed recipe has the age of cached pages, and whether it stays in a domain', () => {
  const recipe = { start, page: { maxAgeSeconds: 60 }, crawl: { scope: 'domain' } }
  expect(readFacts(recipe)).toMatchObject({ maxAgeMs: 60_000, staysInDomain: true })
  expect(readFacts({ start })).toMatchObject({ maxAgeMs: 0, staysInDomain: false })
})
