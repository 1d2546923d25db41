import { beforeAll, describe, expect, test } from 'vitest'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { prepareRecipe } from '../../../src/engine/plan/prepare-recipe.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page } from '../../../src/ports/page-processor.ts'
import { pageOf } from '../../support/worlds/page-run.ts'

// Proves that a field has the same value in turns as at once, however early the budget of its page
// ends.

beforeAll(() => prepareRecipe({ start: {}, extract: { fields: { text: { regex: 'a' } } } }))

const PENS = Array.from({ length: 6 }, (_, index) => ({
  '@type': 'Product',
  name: `Pen ${index}`,
  offers: { '@type': 'Offer', price: index + 0.5, priceCurrency: 'EUR' },
}))
const html = pageOf(
  `<title>Pens</title><meta name="author" content="Ann Field">
  <script type="application/ld+json">${JSON.stringify(PENS)}</script>
  <script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ pens: PENS })}</script>
  <script id="code">${'  let  ink  =  "blue"\n'.repeat(200)}</script>
  <table><tr><th>Name<th>Price</tr>${PENS.map(({ name, offers }) => `<tr><td>${name}<td>${offers.price}</tr>`).join('')}</table>
  <div class="long">${'<p>A pen <b>writes</b>   in blue ink.</p>'.repeat(1_100)}</div>
  ${PENS.map(
    ({ name, offers }) =>
      `<div class="h-product" itemscope itemtype="https://schema.org/Product" data-pen='${JSON.stringify({ name, tags: [1, 2] })}'>
      <h3 class="p-name" itemprop="name">${name}</h3> <b class="p-price" itemprop="price">${offers.price} EUR</b></div>`,
  ).join('')}`,
)
const json = pageOf(JSON.stringify({ pens: PENS }), 'application/json')

const nested = { name: '$.name', price: { json: '$.offers.price', as: 'number' } }
const HTML_FIELDS: Readonly<Record<string, unknown>> = {
  css: 'h3',
  'a long text': '.long',
  'long Markdown': { css: '.long', as: 'markdown' },
  'long HTML': { css: '.long', as: 'html' },
  'a long element as a number': { css: '.long', as: 'number' },
  'long texts with a pattern': { css: '.long', regex: 'blue', many: true },
  'a script': '#code',
  'many by css': { css: 'h3', many: true },
  'nested fields': { css: '.h-product', many: true, fields: { name: 'h3', price: { css: 'b' } } },
  'JSON in an attribute': { css: '.h-product', attr: 'data-pen', json: '$..tags[*]', many: true },
  'nested fields of JSON': {
    css: '[data-pen]',
    attr: 'data-pen',
    json: '$',
    fields: { a: '$.name' },
  },
  xpath: '//h3[contains(., "4")]',
  'a regex': { regex: 'Pen (\\d)', group: 1, many: true },
  jsonld: { jsonld: '$..name', many: true },
  'nested fields of JSON-LD': { jsonld: '$[*]', many: true, fields: nested },
  state: { state: '$..price', many: true },
  'nested fields of state': { state: '$.pens[*]', many: true, fields: nested },
  microdata: { microdata: 'Product.name', many: true },
  'nested fields of microdata': { microdata: 'Product', many: true, fields: { name: '$.name' } },
  microformats: { microdata: 'h-product.name', many: true },
  meta: { meta: 'author' },
  product: { product: 'name' },
  'the second source': ['h5', { jsonld: '$..nothing' }, { meta: 'author' }],
  'a default': { css: 'h5', transform: [{ default: 'none' }] },
  'a default of JSON-LD': { jsonld: '$..nothing', transform: [{ default: 'none' }] },
}
const JSON_FIELDS: Readonly<Record<string, unknown>> = {
  json: '$.pens[2].name',
  'many by json': { json: '$..name', many: true },
  'nested fields': { json: '$.pens[*]', many: true, fields: nested },
}

/** Budgets that end within the reading of the values, or do not end. */
const SHARES = [0.3, 0.6, 0.8, 0.9, 0.95, 0.98, 1]

function expectSame(page: Page, extract: object): void {
  const { processContent } = compileContent(
    parseRecipe({ start: { urls: ['https://a.example/'] }, extract }).recipe,
  )
  const read = (budget: PageBudget, isInTurns: boolean): unknown => {
    const content = new PageContent(page, START, budget)
    if (isInTurns) content.beginTurns()
    return processContent(content, START)
  }
  const whole = new PageBudget()
  expect(read(whole, false)).toMatchObject({ rows: expect.arrayContaining([expect.anything()]) })
  for (const share of SHARES) {
    const limits = { steps: Math.ceil(share * whole.stepsDone), bytes: 10_000_000 }
    expect(read(new PageBudget(limits), true), `${share} of the work`).toEqual(
      read(new PageBudget(limits), false),
    )
  }
}

describe('has the same value in turns', () => {
  test.each(Object.entries(HTML_FIELDS))('%s of an HTML page', (_, field) => {
    expectSame(html, { fields: { title: 'title', field, last: 'title' } })
  })

  test.each(Object.entries(JSON_FIELDS))('%s of a JSON page', (_, field) => {
    expectSame(json, { fields: { first: '$.pens[0].name', field, last: '$.pens[1].name' } })
  })

  test('a field of items', () => {
    expectSame(html, { items: '.h-product', fields: { name: 'h3', text: { regex: '\\d' } } })
    expectSame(html, { items: 'tr', fields: { name: { cell: 'Name' }, price: { cell: 2 } } })
    expectSame(html, { items: '//h3', fields: { name: { xpath: '.' } } })
    expectSame(html, { items: ':state($.pens[*])', fields: nested })
    expectSame(json, { items: '$.pens[*]', fields: nested })
  })
})
