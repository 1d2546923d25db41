import { beforeAll, expect, test } from 'vitest'
import { detectAllParts, detectParts } from '../../../src/engine/extract/auto.ts'
import { refusedParts } from '../../../src/engine/extract/auto/refused-items.ts'
import { formatParts } from '../../../src/engine/extract/format/format-page.ts'
import { pageTextParts } from '../../../src/engine/extract/format/page-text.ts'
import {
  atOnce,
  inTurns,
  TURN_STEPS,
  type Parts,
} from '../../../src/engine/extract/page/in-turns.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { candidateParts } from '../../../src/engine/point/candidates.ts'
import { preparePage } from '../../../src/engine/extract/document/prepare-page.ts'
import { loadRegexEngine } from '../../../src/engine/extract/value/linear-regex.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { compileContent } from '../../../src/engine/plan/compile.ts'
import { compileExplain } from '../../../src/engine/plan/explain.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Page, PageTask } from '../../../src/ports/page-processor.ts'
import { pageOf } from '../../support/worlds/page-run.ts'

beforeAll(loadRegexEngine)

const COUNT = 12_000
const cards = pageOf(
  `<main><ul>${Array.from(
    { length: COUNT },
    (_, index) =>
      `<li class="card"><a href="/p/${index}"><h3>Pen ${index}</h3></a><b class="price">${index}.00</b></li>`,
  ).join('')}</ul></main>`,
)
const table = pageOf(
  `<table><tr><th>Number<th>Name<th>Price</tr>${Array.from(
    { length: COUNT },
    (_, index) => `<tr><td>${index}</td><td>name ${index}</td><td>${index}.50</td></tr>`,
  ).join('')}</table>`,
)
const nested = pageOf(
  '<div class=a><div class=b><div class=c><p>one</p><p>two</p><p>three</p></div></div></div>'.repeat(
    COUNT,
  ),
)

const start = { urls: ['https://a.example/'] }
const explain = compileExplain(
  parseRecipe({
    start,
    extract: { items: 'li, tr, .c', fields: { title: 'h3', price: '.price', text: 'td, p' } },
  }).recipe,
)

type Make = (content: PageContent) => Parts<unknown>
const MAKES: Readonly<Record<string, Make>> = {
  'what a page has': detectParts,
  'all that a page has': detectAllParts,
  'what is no list': refusedParts,
  Markdown: (content) => formatParts(content, 'markdown'),
  'the text': (content) => formatParts(content, 'text'),
  comments: (content) => formatParts(content, 'comments'),
  metadata: (content) => formatParts(content, 'metadata'),
  HTML: (content) => formatParts(content, 'html'),
  'the text for a reader': pageTextParts,
  'an explanation': (content) => explain(content, START),
}

/** The steps of each turn, once the tree is made. */
async function turnsOf(make: Make, page: Page): Promise<readonly number[]> {
  const budget = new PageBudget()
  const content = new PageContent(page, START, budget)
  expect(content.tree.elements.length).toBeGreaterThan(COUNT)
  const ends = [budget.stepsDone]
  const answer = await inTurns(make(content), budget, async () => {
    ends.push(budget.stepsDone)
  })
  ends.push(budget.stepsDone)
  const other = new PageContent(page, START, new PageBudget())
  expect(answer).toEqual(atOnce(make(other)))
  expect(other.budget.stepsDone).toBe(budget.stepsDone)
  return ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
}

test.each(
  Object.entries(MAKES).flatMap(([name, make]) =>
    Object.entries({ cards, table, nested }).map(([of, page]) => [name, of, make, page] as const),
  ),
)('%s takes short turns on a page of %s', async (_name, _of, make, page) => {
  const turns = await turnsOf(make, page)
  expect(turns.length).toBeGreaterThan(1)
  expect(Math.max(...turns)).toBeLessThan(MOST * TURN_STEPS)
})

/** Turns of a few parts, each less than a turn, and of one that reads a whole page once. */
const MOST = 5

const LIST_SIZE = 12_000
const PENS = Array.from({ length: LIST_SIZE }, (_, index) => ({
  name: `Pen ${index}`,
  price: index / 7,
  url: `/pens/${index}`,
}))
const ofPens = (write: (pen: (typeof PENS)[number]) => string): string => PENS.map(write).join('')
const LARGE = {
  JSON: pageOf(JSON.stringify({ next: null, pens: PENS }), 'application/json'),
  'JSON-LD': pageOf(
    `<title>Pens</title><script type="application/ld+json">${JSON.stringify({ '@type': 'ItemList', pens: PENS })}</script>`,
  ),
  state: pageOf(
    `<title>Pens</title><script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ pens: PENS })}</script>`,
  ),
  CSV: pageOf(
    `name,price,url\n${ofPens(({ name, price, url }) => `${name},${price},${url}\n`)}`,
    'text/csv',
  ),
  'JSON Lines': pageOf(
    ofPens((pen) => `${JSON.stringify(pen)}\n`),
    'application/x-ndjson',
  ),
  XML: pageOf(
    `<pens>${ofPens(({ name, price }) => `<pen><name>${name}</name><price>${price}</price></pen>`)}</pens>`,
    'application/xml',
  ),
  feed: pageOf(
    `<rss version="2.0"><channel><title>Pens</title>${ofPens(({ name, url }) => `<item><title>${name}</title><link>https://a.example${url}</link></item>`)}</channel></rss>`,
    'application/rss+xml',
  ),
  microdata: pageOf(
    `<h1>Pens</h1>${ofPens(({ name, price, url }) => `<div itemscope itemtype="https://schema.org/Product"><a itemprop="name url" href="${url}">${name}</a><b itemprop="price">${price}</b></div>`)}`,
  ),
  'one item': pageOf(
    `<h1>Pen</h1><div itemscope itemtype="https://schema.org/Product">${ofPens(({ name }) => `<b itemprop="name tags">${name}</b><i itemprop="p${name}"></i>`)}</div>`,
  ),
  itemref: pageOf(
    `${Array.from({ length: 20 }, (_, part) => `<div id="r${part}">${'<b itemprop="tags">one</b>'.repeat(1_000)}</div>`).join('')}${`<div itemscope itemref="${Array.from({ length: 20 }, (_, part) => `r${part}`).join(' ')}"></div>`.repeat(20)}`,
  ),
  RDFa: pageOf(
    `<div vocab="http://schema.org/">${ofPens(({ name, price, url }) => `<div typeof="Product"><a property="url" href="${url}"><b property="name">${name}</b></a><i property="price">${price}</i></div>`)}</div>`,
  ),
  'a list in RDFa': pageOf(
    `<div vocab="http://schema.org/" typeof="Product">${ofPens(({ name }) => `<b property="tags" inlist>${name}</b>`)}</div>`,
  ),
  microformats: pageOf(
    ofPens(
      ({ name, price, url }) =>
        `<div class="h-product"><a class="p-name u-url" rel="tag" href="${url}">${name}</a><b class="p-price">${price}</b></div>`,
    ),
  ),
  'one entry': pageOf(
    `<div class="h-entry"><div class="e-content p-name">${ofPens(({ name }) => `<b class="p-category">${name}</b>`)}</div></div>`,
  ),
  prices: pageOf(
    `<h1>Pen</h1>${ofPens(({ price }) => `<p class="price"><del>$${price}</del> <b>$${price}</b></p><dl><dt>SKU:<dd></dl>`)}`,
  ),
  links: pageOf(`<title>Pens</title>${ofPens(({ name, url }) => `<a href="${url}">${name}</a> `)}`),
  items: pageOf(`<title>Pens</title><ul>${ofPens(({ name }) => `<li>${name}`)}</ul>`),
  'broken JSON-LD': pageOf(
    `<title>Pens</title><script type="application/ld+json">{"@type":"ItemList","pens":${JSON.stringify(PENS).replace(/\]$/, ',]')}}</script>`,
  ),
  'a literal': pageOf(
    `<title>Pens</title><script>window.__NUXT__=(function(a){return {pens:[${ofPens(({ name, price }) => `{name:'${name}',price:${price},shop:a},`)}]}})("x")</script>`,
  ),
  rows: pageOf(`<table>${ofPens(({ name, url }) => `<tr><td>${name}<td>${url}<td>ink`)}</table>`),
  prose: pageOf(
    `<title>Pens</title><article>${ofPens(({ name }) => `<p>There is a lot to be said about ${name}, and more about ink.</p>`)}</article>`,
  ),
}

const processing =
  (recipe: object): Make =>
  (content) =>
    compileContent(parseRecipe({ start, ...recipe }).recipe).processParts(content, START)
const column = (field: object | string) => processing({ extract: { fields: { field } } })
const itemsOf = (items: string, field: object | string = '$.name') =>
  processing({ extract: { items, fields: { field } } })
const crawl = { crawl: { maxDepth: 2 } }
/** The parts of a question about a page of one kind. */
const LARGE_CASES: readonly (readonly [of: keyof typeof LARGE, name: string, make: Make])[] = [
  ['JSON', 'items', itemsOf('$.pens[*]')],
  ['JSON', 'items that a filter refuses', itemsOf('$..[?@.price < 0]')],
  ['JSON', 'many values', column({ json: '$..name', many: true })],
  ['JSON', 'the whole document', column({ json: '$', as: 'json' })],
  [
    'JSON',
    'links',
    processing({ follow: [{ links: '$..url' }], extract: { fields: { a: '$.next' } } }),
  ],
  ['JSON', 'what it has', detectParts],
  ['JSON', 'a condition that looks at all values', column({ json: '$..*[?@..a]', many: true })],
  [
    'JSON',
    'a pattern for a value that is searched',
    column({ json: '$..[?match(value($..*[?@..a]), "x")]', many: true }),
  ],
  ['JSON', 'many nested fields', column({ json: '$.pens[*]', many: true, fields: { a: '$.url' } })],
  ['items', 'elements above others by XPath', column({ xpath: '//*[.//*]', many: true })],
  ['items', 'a union of XPaths', column({ xpath: '//li/text()|//title|//li', many: true })],
  ['items', 'a comparison in XPath', column({ xpath: 'count(//li[. = //li])' })],
  ['items', 'siblings in XPath', column({ xpath: '//li[preceding-sibling::li = .]', many: true })],
  ['items', 'items by XPath', itemsOf('//li[not(.//b)]', { xpath: '.' })],
  ['links', 'texts that are searched by XPath', column('//a[contains(., "Pen 11999")]')],
  ['links', 'a text made by XPath', column({ xpath: 'normalize-space(translate(/, "P", "p"))' })],
  ['links', 'links by XPath', processing({ follow: [{ links: '//a[not(.//i)]/@href' }] })],
  ['broken JSON-LD', 'many values', column({ jsonld: '$..name', many: true })],
  ['a literal', 'many values', column({ state: '$..name', many: true })],
  ['rows', 'cells', itemsOf('tr', { cell: 2 })],
  ['JSON-LD', 'many values', column({ jsonld: '$..name', many: true })],
  ['JSON-LD', 'items', itemsOf('$..pens[*]')],
  ['JSON-LD', 'metadata', (content) => formatParts(content, 'metadata')],
  ['JSON-LD', 'structured data', (content) => formatParts(content, 'structured')],
  ['JSON-LD', 'what it has', detectParts],
  ['state', 'many values', column({ state: '$..name', many: true })],
  ['state', 'items', itemsOf(':state($.pens[*])')],
  ['state', 'what it has', detectParts],
  ['JSON-LD', 'a product', column({ product: 'name' })],
  ['state', 'a product', column({ product: 'name' })],
  ['microdata', 'many values', column({ microdata: 'Product.name', many: true })],
  ['microdata', 'structured data', (content) => formatParts(content, 'structured')],
  ['microdata', 'a product', column({ product: 'reasons' })],
  ['microdata', 'comments', (content) => formatParts(content, 'comments')],
  ['one item', 'many values', column({ microdata: 'tags', many: true })],
  ['one item', 'structured data', (content) => formatParts(content, 'structured')],
  ['one item', 'a product', column({ product: 'reasons' })],
  ['itemref', 'many values', column({ microdata: 'tags', many: true })],
  ['itemref', 'structured data', (content) => formatParts(content, 'structured')],
  ['RDFa', 'many values', column({ microdata: 'Product.name', many: true })],
  ['RDFa', 'structured data', (content) => formatParts(content, 'structured')],
  ['a list in RDFa', 'many values', column({ microdata: 'Product.tags', many: true })],
  ['microformats', 'many values', column({ microdata: 'h-product.name', many: true })],
  ['microformats', 'structured data', (content) => formatParts(content, 'structured')],
  ['one entry', 'many values', column({ microdata: 'h-entry.category', many: true })],
  ['one entry', 'structured data', (content) => formatParts(content, 'structured')],
  ['prices', 'a product', column({ product: 'reasons' })],
  ['CSV', 'items', itemsOf('$[*]')],
  ['CSV', 'what it has', detectParts],
  ['JSON Lines', 'items', itemsOf('$[*]')],
  ['XML', 'items', itemsOf('pen', 'name')],
  ['XML', 'many values', column({ css: 'name', many: true })],
  ['XML', 'Markdown', (content) => formatParts(content, 'markdown')],
  ['feed', 'items', itemsOf('item', 'title')],
  ['feed', 'the text for a reader', pageTextParts],
  ['feed', 'what it has', detectParts],
  ['links', 'links of a crawl', processing({ ...crawl, extract: { fields: { title: 'title' } } })],
  [
    'links',
    'links of a rule',
    processing({ follow: [{ links: 'a' }], extract: { fields: { title: 'title' } } }),
  ],
  [
    'links',
    'links with values',
    processing({ follow: [{ items: 'a', links: ':scope', carry: { name: ':scope' } }] }),
  ],
  ['links', 'many values', column({ css: 'a', many: true })],
  ['items', 'metadata', (content) => formatParts(content, 'metadata')],
  ['items', 'what it has', detectAllParts],
  ['items', 'a pointed element', (content) => candidateParts(content, { elements: [40] })],
  ['prose', 'a column of its text', column('body')],
  ['prose', 'a column of its Markdown', column({ css: 'body', as: 'markdown' })],
  ['prose', 'an article', (content) => formatParts(content, 'article')],
  ['prose', 'a column of its HTML', column({ css: 'body', as: 'html' })],
  ['prose', 'a nested field', column({ css: 'body', many: true, fields: { text: ':scope' } })],
  ['JSON-LD', 'a second source', column(['h5', { jsonld: '$..name', many: true }])],
]

test.each(LARGE_CASES)('a large page of %s: %s takes short turns', async (of, _name, make) => {
  await preparePage(LARGE[of])
  const budget = new PageBudget()
  const content = new PageContent(LARGE[of], START, budget)
  content.beginTurns()
  const ends = [budget.stepsDone]
  const whole = function* (): Parts<unknown> {
    yield* content.readTree()
    return yield* make(content)
  }
  const answer = await inTurns(whole(), budget, async () => {
    ends.push(budget.stepsDone)
  })
  ends.push(budget.stepsDone)
  const turns = ends.slice(1).map((end, index) => end - (ends[index] ?? 0))
  expect(turns.length).toBeGreaterThan(1)
  expect(Math.max(...turns)).toBeLessThan(MOST_OF_LARGE * TURN_STEPS)
  const other = new PageContent(LARGE[of], START, new PageBudget())
  expect(answer).toEqual(atOnce(make(other)))
})

/** A turn ends with the part in which it has its steps. */
const MOST_OF_LARGE = 2.5

const auto = { start, extract: 'auto' }
const LIST = { start, extract: { items: 'li', fields: { title: 'h3', price: '.price' } } }
const sought = {
  columns: ['title'],
  rows: Array.from({ length: 20 }, (_, index) => ({ title: `Pen ${index}`, price: `${index}.00` })),
}
const scripts = pageOf(`<script>let a</script><main>${'<p><i></i></p>'.repeat(40_000)}</main>`)
const QUESTIONS: readonly (readonly [
  task: PageTask,
  recipe: typeof auto | typeof LIST | null,
  page: Page,
])[] = [
  ['read', null, cards],
  ['view', null, cards],
  ['point', null, { ...cards, pointed: { elements: [40] } }],
  ['detect', null, cards],
  ['complete', auto, cards],
  ['propose', auto, cards],
  ['inspect', LIST, cards],
  ['relocate', LIST, { ...cards, sought }],
  ['isShell', LIST, scripts],
]

test.each(QUESTIONS)('the question %s is answered in turns', async (task, recipe, page) => {
  const work = await openPageWork(recipe)
  let pauses = 0
  const answer = await work.answer(task, page, START, async () => {
    pauses++
  })
  // The tree of the page takes fewer.
  const budget = new PageBudget()
  expect(new PageContent(page, START, budget).tree.elements.length).toBeGreaterThan(COUNT)
  const ofTree = Math.floor(budget.stepsDone / TURN_STEPS)
  expect(pauses).toBeGreaterThan(task === 'isShell' ? 1 : ofTree - 1)
  expect(answer).toEqual(await work.answer(task, page, START))
})

test('work that was left by its pause ends, and what it held is given back', async () => {
  const budget = new PageBudget({ steps: 10_000_000, bytes: 1_000 })
  let hasEnded = false
  const parts = function* (): Parts<void> {
    try {
      for (;;) {
        budget.work(TURN_STEPS)
        yield
      }
    } finally {
      hasEnded = true
    }
  }
  const gone = async (): Promise<void> => {
    throw new Error('gone')
  }
  const share = budget.attemptPartsWithin(0.5, 'a share', parts(), undefined)
  await expect(inTurns(share, budget, gone)).rejects.toThrow('gone')
  expect(hasEnded).toBe(true)
  expect(budget.spent.steps).toBe(TURN_STEPS)
})

test('a share of the budget is used in turns as long as those of the whole', async () => {
  const budget = new PageBudget({ steps: 100 * TURN_STEPS, bytes: 1_000 })
  const ends: number[] = []
  const some = function* (count: number): Parts<void> {
    for (let part = 0; part < count; part++) {
      budget.work(TURN_STEPS / 2)
      yield
    }
  }
  const all = function* (): Parts<void> {
    yield* some(4)
    yield* budget.attemptPartsWithin(0.25, 'a share', some(8), undefined)
    yield* some(8)
  }
  await inTurns(all(), budget, async () => {
    ends.push(budget.stepsDone)
  })
  expect(ends).toEqual(Array.from({ length: 10 }, (_, index) => (index + 1) * TURN_STEPS))
})
