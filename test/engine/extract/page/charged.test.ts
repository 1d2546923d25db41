import { describe, expect, test } from 'vitest'
import { readNumber } from '../../../../src/engine/extract/value/parse-number.ts'
import { CountingBudget, pageOf, runOn } from '../../../support/worlds/page-run.ts'
import type { Page } from '../../../../src/ports/page-processor.ts'

// Work that once stopped the process is charged as it is done. The pages are small and the budget
// has no end, so a missing charge shows in a figure, not in a test that never ends.

interface Costly {
  readonly recipe: object
  readonly page: Page
  readonly least: { readonly steps?: number; readonly bytes?: number }
}

const CELL = 'x'.repeat(1_000)
const NESTED = pageOf(`${'<div>'.repeat(50)}${CELL}`)
const JSON_LIST = pageOf(`[${'0,'.repeat(999)}0]`, 'application/json')

/** Reads only the tree of a page. */
const TREE = { extract: { fields: { a: 'none' } } }

function field(source: object): object {
  return { extract: { fields: { a: source } } }
}

/** Makes a long text from the text `ba`, and keeps little of it. */
function steps(...transform: readonly unknown[]): Costly['recipe'] {
  return field({ css: 'p', many: true, transform })
}

const PARTS = pageOf(`<p>${'ba'.repeat(100)}`)

const costly: Readonly<Record<string, Costly>> = {
  'each text of nested elements': {
    recipe: field({ css: 'div', many: true }),
    page: NESTED,
    least: { bytes: 50_000 },
  },
  'each text of nested items': {
    recipe: { extract: { items: 'div', fields: { a: ':scope' } } },
    page: NESTED,
    least: { bytes: 50_000 },
  },
  'a replacement for each character': {
    recipe: steps({ replace: ['b', 'c'.repeat(400)] }, { slice: [0, 1] }),
    page: PARTS,
    least: { bytes: 40_000 },
  },
  'the parts of a text': {
    recipe: steps({ split: 'a' }, { item: 0 }),
    page: PARTS,
    least: { bytes: 1_000 },
  },
  'a text in capitals': {
    recipe: steps('upper', { slice: [0, 1] }),
    page: pageOf(`<p>${'ba'.repeat(5_000)}`),
    least: { bytes: 10_000 },
  },
  'each node that is written as Markdown': {
    recipe: { formats: ['markdown'] },
    page: pageOf('<b>x</b>'.repeat(1_000)),
    least: { steps: 70_000 },
  },
  'each character of a page without a tag': {
    recipe: TREE,
    page: pageOf('<'.repeat(10_000)),
    least: { steps: 10_000 },
  },
  'each element of a page': {
    recipe: TREE,
    page: pageOf('<i>'.repeat(400)),
    least: { steps: 3_200, bytes: 6_400 },
  },
  'each alternative at each element': {
    recipe: field({ css: Array.from({ length: 50 }, (_, index) => `[z${index}]`).join(',') }),
    page: pageOf('<i></i>'.repeat(1_000)),
    least: { steps: 50_000 },
  },
  'each element below each one to follow': {
    recipe: { follow: [{ links: '*' }], extract: { fields: { a: { const: 'x' } } } },
    page: pageOf(`${'<div>'.repeat(100)}${'<i></i>'.repeat(1_000)}`),
    least: { steps: 100_000 },
  },
  'each name of a property of microdata': {
    recipe: { formats: ['structured'] },
    page: pageOf(
      `<div itemscope><p itemprop="${Array.from({ length: 20 }, (_, index) => `n${index}`).join(' ')}">${CELL}</p></div>`,
    ),
    least: { bytes: 20_000 },
  },
  'each text of nested properties of microdata': {
    recipe: field({ microdata: 'none' }),
    page: pageOf(`<div itemscope>${'<div itemprop="a">'.repeat(50)}${CELL}`),
    least: { bytes: 50_000 },
  },
  'each entry of a list, at each wildcard': {
    recipe: field({ json: `$[${'*,'.repeat(99)}*].a`, many: true }),
    page: JSON_LIST,
    least: { steps: 100_000 },
  },
  'each name at each entry of a list': {
    recipe: field({ json: `$[*][${"'a',".repeat(99)}'a']`, many: true }),
    page: pageOf(`[${'{},'.repeat(999)}{}]`, 'application/json'),
    least: { steps: 100_000 },
  },
  'each entry of a slice': {
    recipe: field({ json: `$[${'0:,'.repeat(99)}0:].a`, many: true }),
    page: JSON_LIST,
    least: { steps: 100_000 },
  },
  'each entry that a filter tests': {
    recipe: field({ json: `$[${'?@.a==1,'.repeat(49)}?@.a==1]`, many: true }),
    page: JSON_LIST,
    least: { steps: 50_000 },
  },
  'each level below each node': {
    recipe: field({ json: '$..a', many: true }),
    page: pageOf(`${'['.repeat(50)}${'{},'.repeat(1_000)}{}${']'.repeat(50)}`, 'application/json'),
    least: { steps: 8_000 },
  },
}

test.each(Object.entries(costly))('%s is charged', async (_, { recipe, page, least }) => {
  const budget = new CountingBudget()
  await runOn(recipe, page, budget)
  expect(budget.steps).toBeGreaterThanOrEqual(least.steps ?? 0)
  expect(budget.bytes).toBeGreaterThanOrEqual(least.bytes ?? 0)
})

describe('the beginning is enough', () => {
  test('of a text in which a number is looked for', () => {
    expect(readNumber(`${'x'.repeat(9_000)} 5`).value).toBe(5)
    expect(readNumber(`${'x'.repeat(10_000)} 5`).value).toBeNull()
  })

  test.each([
    [49, 'Red pens and inks'],
    [50, 'Red pens and inks | Shop of pens'],
  ])('of the headings that may be the title: %i before it', async (count, title) => {
    const page = pageOf(
      `<title>Red pens and inks | Shop of pens</title>${'<h1>Other</h1>'.repeat(count)}` +
        '<h1>Red pens and inks</h1>',
    )
    const { rows } = await runOn({ formats: ['metadata'] }, page)
    expect(rows[0]).toMatchObject({ metadata: { title } })
  })

  test('of a title in the data of a page', async () => {
    const page = pageOf(`<meta property="og:title" content="A ${'title '.repeat(2_000)}">`)
    const { rows } = await runOn({ formats: ['metadata'] }, page)
    expect(JSON.stringify(rows[0]).length).toBeLessThan(1_500)
  })
})
