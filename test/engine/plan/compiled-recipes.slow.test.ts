import { expect, it } from 'vitest'
import { compileOnce, readStored } from '../../../src/engine/plan/compiled-recipes.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { normaliseUrl } from '../../../src/kernel/url.ts'

const recipe = (name: string, more: object = {}) => ({
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { [name]: 'h1', label: { const: { of: name } } } },
  ...more,
})
/** One of these weighs more than a third of what is kept. */
const large = (number: number) =>
  recipe(`large${number}`, { start: { urls: [`https://shop.example.com/${number}/{1..8000}`] } })

it('recipes of the same text have one plan', () => {
  const plan = compileOnce(parseRecipe(recipe('same')))
  expect(compileOnce(parseRecipe(recipe('same')))).toBe(plan)
  expect(compileOnce(parseRecipe(recipe('other')))).not.toBe(plan)
})

it('a stored recipe that was compiled is not checked again, and has the stored objects', () => {
  const stored = recipe('stored')
  const before = readStored(stored)
  const plan = compileOnce(before)
  const again = recipe('stored')
  const read = readStored(again)
  expect(read.written).toBe(again)
  expect(read.recipe).not.toBe(before.recipe)
  // The checked recipe is that of the plan, and the same each time.
  expect(readStored(recipe('stored')).recipe).toBe(read.recipe)
  expect(read.recipe).toEqual(before.recipe)
  expect([read.facts, read.size]).toEqual([before.facts, before.size])
  expect(compileOnce(read)).toBe(plan)
})

it('a stored recipe that is not valid any more is refused each time', () => {
  const stored = { ...recipe('wrong'), unheardOf: 1 }
  for (let i = 0; i < 2; i++) expect(() => readStored(stored)).toThrow(PlatformError)
})

it('a recipe that does not compile is refused each time', () => {
  const wrong = parseRecipe(recipe('refused', { output: { unique: ['absent'] } }))
  for (let i = 0; i < 2; i++) expect(() => compileOnce(wrong)).toThrow(/no column is named/)
})

it('later changes by a caller reach neither the plan nor the recipes of others', () => {
  const label: { of: string } = { of: 'mine' }
  const own = { ...recipe('mine'), extract: { fields: { label: { const: label } } } }
  const text = JSON.stringify(own)
  const parsed = parseRecipe(own)
  label.of = 'changed before it was compiled'
  const plan = compileOnce(parsed)
  label.of = 'changed after'
  Object.assign(parsed.written, recipe('changed'))
  const read = readStored(JSON.parse(text))
  expect(JSON.stringify(read.written)).toBe(text)
  expect(compileOnce(read)).toBe(plan)
  const page = {
    url: 'https://shop.example.com/',
    contentType: 'text/html',
    body: new TextEncoder().encode('<h1>Pen</h1>'),
  }
  expect(plan.process(page, { label: 'start', depth: 0, hop: 1 }).rows).toEqual([
    { label: { of: 'mine' } },
  ])
})

it('results of a search make a plan of their own', () => {
  const searched = parseRecipe(
    recipe('searched', { start: { search: 'pens' }, crawl: { scope: 'host' } }),
  )
  const url = normaliseUrl('https://found.example.com/')
  if (url === null) throw new Error('unreachable')
  const plan = compileOnce(searched, [url])
  expect(plan.inScope(url)).toBe(true)
  expect(compileOnce(searched).inScope(url)).toBe(false)
  expect(compileOnce(searched, [url])).not.toBe(plan)
})

it('the recipes that were used longest ago are forgotten first', () => {
  const [first, second, third] = [1, 2, 3].map((number) => parseRecipe(large(number)))
  if (!first || !second || !third) throw new Error('unreachable')
  const plans = [first, second].map((parsed) => compileOnce(parsed))
  expect(compileOnce(first)).toBe(plans[0])
  compileOnce(third)
  expect(compileOnce(first)).toBe(plans[0])
  expect(compileOnce(second)).not.toBe(plans[1])
})

it('a recipe that weighs more than all that may be kept is not kept', () => {
  const huge = parseRecipe(
    recipe('huge', {
      start: { urls: ['https://shop.example.com/{1..10000}'] },
      extract: { fields: { text: { const: 'x'.repeat(700_000) } } },
    }),
  )
  expect(compileOnce(huge)).not.toBe(compileOnce(huge))
})

it('the tables that a run makes of its globs are weighed too', () => {
  /** 100 globs, whose tables have a row for each of their characters. */
  const globs = (number: number, characters: number) => {
    const text = String.fromCharCode(...Array.from({ length: characters }, (_, i) => 0x4e00 + i))
    const include = Array.from({ length: 100 }, (_, i) => `/${number}/${i}/${text}/**`)
    return parseRecipe(recipe('globs', { crawl: { include }, follow: [{ links: 'a' }] }))
  }
  const first = globs(0, 120)
  const plan = compileOnce(first)
  expect(compileOnce(first)).toBe(plan)
  // Their texts alone would weigh a third of what is kept.
  for (let number = 1; number <= 10; number++) compileOnce(globs(number, 120))
  expect(compileOnce(first)).not.toBe(plan)
  const many = globs(0, 480)
  expect(compileOnce(many)).not.toBe(compileOnce(many))
})

it('a process keeps a bounded number of small recipes', () => {
  const first = parseRecipe(recipe('small'))
  const plan = compileOnce(first)
  for (let number = 0; number < 1_250; number++) compileOnce(parseRecipe(recipe(`small${number}`)))
  expect(compileOnce(first)).not.toBe(plan)
})
