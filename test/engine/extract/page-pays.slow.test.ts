import { describe, expect, test } from 'vitest'
import { PageTooCostly } from '../../../src/engine/extract/page/page-budget.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { VALUE_TYPES } from '../../../src/engine/recipe/field-schema.ts'
import type { FieldSource, Transform } from '../../../src/engine/recipe/recipe-input.ts'
import { FORMATS } from '../../../src/engine/recipe/schema.ts'
import type { Page, PageTask } from '../../../src/ports/page-processor.ts'
import { CountingBudget, pageOf, runOn } from '../../support/worlds/page-run.ts'

// Proves that all work on a page is paid from its budget. For all formats, types, sources, steps,
// kinds of pages and questions, a longer page takes more steps, and a larger result more bytes.

const SMALL = 100
const LARGE = 1_000

/** An element of a page in which all sources find something. */
const PART =
  '<p class="a" itemscope><b itemprop="name">Some words, 1 of them</b><a href="/x/y/z" title="10">A link to it</a></p>'
const META = '<meta property="og:title" content="A title"><meta name="author" content="Someone">'

function htmlPage(parts: number): Page {
  const data = JSON.stringify(
    Array.from({ length: parts }, () => ({ name: 'Some words of the page' })),
  )
  return pageOf(
    `<title>A title</title>${META}<script type="application/ld+json">${data}</script><main>` +
      `${PART.repeat(parts)}</main>`,
  )
}

/** The use of the budget for a page of so many parts, and the size of the result. */
async function paid(
  recipe: object,
  page: Page,
): Promise<{
  readonly steps: number
  readonly bytes: number
  readonly made: number
  readonly size: number
}> {
  const budget = new CountingBudget()
  const { rows, links } = await runOn(recipe, page, budget)
  return {
    steps: budget.steps,
    bytes: budget.bytes,
    made: JSON.stringify([rows, links]).length,
    size: page.body.byteLength,
  }
}

/** A recipe that makes only the tree of a page. */
const TREE = { extract: { fields: { none: 'none' } } }

async function expectPaid(recipe: object, make: (parts: number) => Page): Promise<void> {
  const [page, longer] = [make(SMALL), make(LARGE)]
  const [small, large] = [await paid(recipe, page), await paid(recipe, longer)]
  const [tree, largeTree] = [await paid(TREE, page), await paid(TREE, longer)]
  const more = { size: large.size - small.size, made: large.made - small.made }
  expect(more.made).toBeGreaterThanOrEqual(0)
  // Apart from the tree, at least one step for each 32 additional characters, and one byte for each
  // two bytes of the result.
  expect(large.steps - small.steps - (largeTree.steps - tree.steps)).toBeGreaterThan(more.size / 32)
  expect(large.bytes - small.bytes - (largeTree.bytes - tree.bytes)).toBeGreaterThanOrEqual(
    more.made / 2,
  )
}

test.each(FORMATS.filter((format) => format !== 'screenshot'))(
  'the format %s is paid from the budget',
  async (format) => {
    await expectPaid({ formats: [format] }, htmlPage)
  },
)

test.each(VALUE_TYPES)('values of the type %s are paid from the budget', async (as) => {
  await expectPaid(
    { extract: { fields: { a: { css: 'p, b, a', as, many: true }, b: 'p' } } },
    htmlPage,
  )
  await expectPaid({ extract: { fields: { a: { css: 'main', as }, b: 'p' } } }, htmlPage)
})

/** A source of each kind. The size of `page`, `url`, `const` and `meta` does not depend on the page. */
const sources: Readonly<Record<string, FieldSource>> = {
  css: { css: 'p', many: true },
  attributes: { css: 'a', attr: 'title', many: true },
  'nested fields': { css: 'p', many: true, fields: { b: 'b' } },
  xpath: { xpath: '//p/b', many: true },
  'texts of an xpath': { xpath: '//p/b/text()', many: true },
  jsonld: { jsonld: '$..name', many: true },
  microdata: { microdata: 'name', many: true },
  'fields of microdata': { microdata: 'name', many: true },
  regex: { regex: '[a-z]+', many: true },
  'regex in elements': { css: 'p', regex: '[a-z]+', many: true },
}

test.each(Object.entries(sources))('the source %s is paid from the budget', async (_, field) => {
  await expectPaid({ extract: { fields: { a: field } } }, htmlPage)
})

test.each<readonly [source: string, field: FieldSource, make: (parts: number) => Page]>([
  [
    'state',
    { state: '$..name', many: true },
    (parts) => {
      const data = Array.from({ length: parts }, (_, index) => ({ name: `The name ${index}` }))
      return pageOf(`<script>window.list = ${JSON.stringify(data)}</script><p>x`)
    },
  ],
  [
    'product',
    { product: 'name' },
    (parts) => {
      const data = Array.from({ length: parts }, (_, index) => ({
        '@type': 'Product',
        name: `The name ${index}`,
      }))
      return pageOf(`<script type="application/ld+json">${JSON.stringify(data)}</script><p>x`)
    },
  ],
])('the source %s is paid from the budget of its page', async (_, field, make) => {
  await expectPaid({ extract: { fields: { a: field } } }, make)
})

test('the source cell is paid from the budget', async () => {
  const row = '<tr><td>some words<td>1</tr>'
  await expectPaid(
    { extract: { items: 'tr', fields: { a: { cell: 'A' }, b: { cell: 2 } } } },
    (parts) => pageOf(`<table><tr><th>A<th>B</tr>${row.repeat(parts)}</table>`),
  )
})

test.each(['css', 'xpath'])('rows of items by %s are paid from the budget', async (kind) => {
  await expectPaid(
    {
      extract: {
        items: kind === 'css' ? 'p' : '//p',
        fields: { a: 'b', b: { css: 'a', attr: 'href', as: 'url' }, c: { page: 'url' } },
      },
    },
    htmlPage,
  )
})

test('links are paid from the budget', async () => {
  const page = (parts: number): Page =>
    pageOf(Array.from({ length: parts }, (_, index) => `<a href="/page/${index}">x</a>`).join(''))
  await expectPaid(
    { follow: [{ links: 'a' }], extract: { fields: { a: { css: 'a', many: true } } } },
    page,
  )
})

/** A page of each kind that is not HTML. */
const kinds: Readonly<Record<string, readonly [items: string, make: (parts: number) => Page]>> = {
  CSV: ['$[*]', (parts) => pageOf(`a,b\n${'one word,2\n'.repeat(parts)}`, 'text/csv')],
  'JSON Lines': [
    '$[*]',
    (parts) => pageOf('{"a":"one word","b":2}\n'.repeat(parts), 'application/x-ndjson'),
  ],
  JSON: [
    '$[*]',
    (parts) => pageOf(`[${'{"a":"one word","b":2},'.repeat(parts)}0]`, 'application/json'),
  ],
  XML: [
    '//i',
    (parts) => pageOf(`<r>${'<i><a>one word</a><b>2</b></i>'.repeat(parts)}</r>`, 'text/xml'),
  ],
  'a PDF': [
    '$.pages[*]',
    (parts) => {
      const texts = Array.from({ length: parts }, () => 'one word, and one more')
      return pageOf('%PDF-1.7', 'application/pdf', {
        document: {
          title: null,
          author: null,
          date: null,
          language: null,
          pages: parts,
          pagesRead: parts,
          text: texts.join('\n'),
          texts,
        },
      })
    },
  ],
}

test.each(Object.entries(kinds))(
  'a page of %s is paid from the budget',
  async (_, [items, make]) => {
    const isPath = items.startsWith('$')
    await expectPaid(
      {
        extract: {
          items,
          fields: isPath ? { a: '$.a', b: '$.b', c: '$.text' } : { a: 'a', b: 'b' },
        },
      },
      make,
    )
  },
)

test.each(Object.entries(kinds).slice(0, 3))(
  'a page of %s is paid also for values that are in no row',
  async (_, [, make]) => {
    const recipe = { extract: { fields: { a: '$[0].a' } } }
    const [small, large] = [await paid(recipe, make(SMALL)), await paid(recipe, make(LARGE))]
    expect(large.steps - small.steps).toBeGreaterThanOrEqual(large.size - small.size)
    expect(large.bytes - small.bytes).toBeGreaterThanOrEqual(8 * 2 * (LARGE - SMALL))
  },
)

test('the text of each of nested microdata properties is paid from the budget', async () => {
  const page = pageOf(`<div itemscope>${'<div itemprop="a">'.repeat(100)}${'x'.repeat(10_000)}`)
  const { bytes } = await paid({ extract: { fields: { a: { microdata: 'none' } } } }, page)
  expect(bytes).toBeGreaterThan(100 * 10_000)
})

/** Each step of `transform`, on a text where it works for each character or part. */
const steps: readonly Transform[] = [
  'trim',
  'collapse',
  'lower',
  'upper',
  'name',
  { replace: ['word', 'other word'] },
  { replace: { regex: 'w', with: 'v' } },
  { split: ' ' },
  { slice: [1] },
  { prefix: 'x' },
  { suffix: 'x' },
]

describe('of the steps of transform', () => {
  const text = (parts: number): Page => pageOf(`<p>${'A Word '.repeat(parts)}`)

  test.each(steps.map((step) => [JSON.stringify(step), step] as const))(
    '%s is paid from the budget',
    async (_, step) => {
      const [bare, with_] = [{ css: 'p' }, { css: 'p', transform: [step] }].map((field) =>
        paid({ extract: { fields: { a: field } } }, text(LARGE)),
      )
      const [without, more] = [await bare, await with_]
      expect(
        (more?.steps ?? 0) + (more?.bytes ?? 0) - (without?.steps ?? 0) - (without?.bytes ?? 0),
      ).toBeGreaterThan(LARGE)
    },
  )

  test('what replace makes longer is paid before it is made, part by part', async () => {
    const limit = 100_000
    class SmallBudget extends CountingBudget {
      override make(bytes: number): void {
        super.make(bytes)
        if (this.bytes > limit) throw new PageTooCostly('This is more than the test allows')
      }
    }
    const longer: Transform = { replace: ['b', 'b'.repeat(400)] }
    const field = { css: 'p', transform: [{ split: 'a' }, longer, longer] }
    const page = pageOf(`<p>${'ba'.repeat(LARGE)}`)
    const budget = new SmallBudget()
    await runOn({ extract: { fields: { a: field } } }, page, budget)
    expect(budget.bytes).toBeGreaterThan(limit)
    // The second step ends at its first part. It would search 400 characters of each of them.
    expect(budget.steps).toBeLessThan(100 * LARGE)
  })

  test('join is paid from the budget', async () => {
    const list = { css: 'p', transform: [{ split: ' ' }, { item: 0 }] }
    const joined = { css: 'p', transform: [{ split: ' ' }, { join: ' and ' }, { slice: [0, 1] }] }
    const [one, all] = [
      await paid({ extract: { fields: { a: list } } }, text(LARGE)),
      await paid({ extract: { fields: { a: joined } } }, text(LARGE)),
    ]
    expect(all.bytes - one.bytes).toBeGreaterThan(5 * LARGE)
  })
})

describe('each question about a page is answered within its budget', () => {
  const limits = { steps: 500, bytes: 100_000 }
  const visit = { label: 'start', depth: 0, hop: 1 }
  const page = pageOf(`${PART.repeat(SMALL)}<script>1</script>`)
  const recipe = { start: { urls: ['https://a.example/'] }, extract: 'auto' }

  test.each<PageTask>(['propose', 'complete', 'detect'])(
    '%s gives no partial answer',
    async (task) => {
      const work = await openPageWork(task === 'detect' ? null : recipe, limits)
      await expect(work.answer(task, page, visit)).rejects.toThrow('500 steps of work')
    },
  )

  test('process, inspect and read say what is missing', async () => {
    const work = await openPageWork(recipe, limits)
    const overrun = { what: 'steps', limit: 500 }
    expect(await work.answer('process', page, visit)).toMatchObject({ overrun })
    expect(await work.answer('inspect', page, visit)).toMatchObject({ result: { overrun } })
    expect(await work.answer('read', page, visit)).toMatchObject({ overrun })
  })

  test('a page that is too costly to examine does not count as a shell', async () => {
    const work = await openPageWork({ ...recipe, extract: { fields: { a: 'h1' } } }, limits)
    expect(await work.answer('isShell', page, visit)).toMatchObject({
      isShell: false,
      spent: { steps: 125 },
    })
  })
})
