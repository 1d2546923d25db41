import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { PlatformError } from '../../../src/kernel/errors.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import type { Page, PageResult, Visit } from '../../../src/ports/page-processor.ts'
import { recipeSchema, type Recipe } from '../../../src/engine/recipe/schema.ts'

const start = { urls: ['https://shop.example/list/'] }
const startVisit: Visit = { label: 'start', depth: 0, hop: 1 }
const page = (
  html: string,
  url = 'https://shop.example/list/',
  contentType = 'text/html; charset=utf-8',
): Page => ({ url, contentType, body: new TextEncoder().encode(html) })

function run(recipe: Omit<Recipe, 'start'>, html: string, visit = startVisit): PageResult {
  return compileRecipe(v.parse(recipeSchema, { start, ...recipe })).process(page(html), visit)
}

function issuesOf(recipe: Recipe): Record<string, string> {
  try {
    compileRecipe(recipe)
  } catch (error) {
    if (error instanceof PlatformError)
      return Object.fromEntries(error.issues.map((issue) => [issue.path, issue.message]))
    throw error
  }
  return {}
}

describe('a wrong recipe', () => {
  test('is refused with all wrong places', () => {
    const issues = issuesOf({
      start: { urls: ['https://user:secret@a.example/', '/relative', 'ftp://a.example/'] },
      follow: [
        { links: 'a[', as: 'detail' },
        { next: 'a.next', on: 'nowhere' },
      ],
      extract: {
        on: 'product',
        items: 'li',
        fields: {
          price: { css: 'div[' },
          sku: { jsonld: '$..' },
          list: ['b', { css: '>>' }],
          deep: { css: 'b', fields: { x: '::' } },
        },
      },
      formats: ['text'],
      output: { unique: ['id'] },
    })
    expect(Object.keys(issues).toSorted()).toEqual([
      'extract.fields.deep.fields.x',
      'extract.fields.list.1.css',
      'extract.fields.price.css',
      'extract.fields.sku.jsonld',
      'extract.on',
      'follow.0.links',
      'follow.1.on',
      'formats',
      'output.unique.0',
      'start.urls.0',
      'start.urls.1',
      'start.urls.2',
    ])
    expect(issues['extract.fields.price.css']).toContain('"div[" is not a CSS selector')
    expect(issues['extract.on']).toContain('start, detail')
  })

  test('is one without a start', () => {
    expect(issuesOf({ start: {} })).toEqual({
      start: 'must have urls, a sitemap, a feed or a search',
    })
    expect(issuesOf({ start: { sitemap: 'sitemap.xml' } })['start.sitemap']).toContain('absolute')
  })

  test('is one with numbers out of their ranges', () => {
    expect(
      issuesOf({ start: { urls: ['https://a.example/{1..100}/{1..101}'] } })['start.urls.0'],
    ).toContain('10,000')
    expect(
      issuesOf({ start: { urls: ['https://a.example/{1..999999999}'] } })['start.urls.0'],
    ).toContain('10,000')
  })
})

describe('defaults', () => {
  test('a recipe with only a start extracts url, metadata and markdown of one page', () => {
    const plan = compileRecipe({ start })
    expect(plan.columns).toEqual(['url', 'metadata', 'markdown'])
    expect(plan.limits).toEqual({
      maxPages: 10_000,
      maxDepth: 3,
      maxSeconds: null,
      maxCredits: null,
    })
    expect(plan.crawl).toEqual({ robots: true, delayMs: 0, concurrency: 8, together: false })
    expect(plan.request).toEqual({ headers: {}, headersTo: [], timeoutMs: 30_000, render: null })
    expect(plan.process(page('<a href="/x">x</a><p>words'), startVisit).links).toEqual([])
  })

  test('the smaller of crawl.maxPages and budget.pages is the limit', () => {
    const limit = (crawl: number | undefined, budget: number | undefined) =>
      compileRecipe({
        start,
        ...(crawl === undefined ? {} : { crawl: { maxPages: crawl } }),
        ...(budget === undefined ? {} : { budget: { pages: budget } }),
      }).limits.maxPages
    expect([
      limit(undefined, undefined),
      limit(5, undefined),
      limit(undefined, 20_000),
      limit(7, 3),
      limit(3, 7),
    ]).toEqual([10_000, 5, 20_000, 3, 3])
  })
})

describe('start URLs', () => {
  test('are expanded, normalised and without duplicates', () => {
    const urls = [
      'https://a.example/{08..11}',
      'https://a.example/{x, y}?{2..1}',
      'https://a.example/{id}',
      'HTTPS://A.example:443/08#top',
    ]
    expect(compileRecipe({ start: { urls } }).startUrls).toEqual([
      'https://a.example/08',
      'https://a.example/09',
      'https://a.example/10',
      'https://a.example/11',
      'https://a.example/x?2',
      'https://a.example/x?1',
      'https://a.example/y?2',
      'https://a.example/y?1',
      'https://a.example/%7Bid%7D',
    ])
  })
})

describe('rows', () => {
  const list =
    '<ul><li class=c><a href="/1">One</a><b>$1,299.00</b></li><li class=c>' +
    '<a href="2?utm_source=x">Two</a></li><li class=c></li></ul>'

  test('come one from each item, with exactly the fields; items without values are left out', () => {
    const result = run(
      {
        extract: {
          items: 'li.c',
          fields: {
            title: 'a',
            price: { css: 'b', as: 'number' },
            link: { css: 'a', attr: 'href', as: 'url' },
            shop: { const: 'x' },
          },
        },
      },
      list,
    )
    expect(result.rows).toEqual([
      { title: 'One', price: 1299, link: 'https://shop.example/1', shop: 'x' },
      { title: 'Two', price: null, link: 'https://shop.example/list/2?utm_source=x', shop: 'x' },
    ])
    expect(result.filled).toEqual({ title: 2, price: 1, link: 2, shop: 2 })
    expect(Object.keys(result.rows[0] ?? {})).toEqual(['title', 'price', 'link', 'shop'])
  })

  test('come one from each page if there are no items, with all kinds of fields', () => {
    const html = `<meta property="og:title" content=" T "><script type="application/ld+json">{"@type":"Product","offers":[{"sku":"A"},{"sku":"B"}]}</script>
      <script type="application/ld+json">{broken</script><h2>Head</h2><div class=r><i>Ann</i><u>5</u></div><div class=r><i>Bob</i></div>`
    const fields = {
      title: ['h1', { meta: 'OG:TITLE' }, { const: 'none' }],
      skus: { jsonld: '$..sku', many: true },
      sku: { jsonld: '$.offers[1].sku' },
      reviews: { css: '.r', many: true, fields: { by: 'i', stars: { css: 'u', as: 'integer' } } },
      none: { css: 'h6', many: true },
      page: { url: true },
    } as const
    const result = run({ extract: { fields } } as never, html)
    expect(result.rows).toEqual([
      {
        title: 'T',
        skus: ['A', 'B'],
        sku: 'B',
        reviews: [
          { by: 'Ann', stars: 5 },
          { by: 'Bob', stars: null },
        ],
        none: [],
        page: 'https://shop.example/list/',
      },
    ])
    expect(result.filled).toEqual({ title: 1, skus: 1, sku: 1, reviews: 1, none: 0, page: 1 })
  })

  test('never come from a page of another label', () => {
    const recipe = {
      follow: [{ links: 'a', as: 'detail' }],
      extract: { on: 'detail', fields: { title: 'a' } },
    }
    expect(run(recipe, list)).toMatchObject({ rows: [], extracted: false, filled: {} })
    expect(run(recipe, list, { label: 'detail', depth: 1, hop: 1 })).toMatchObject({
      rows: [{ title: 'One' }],
      extracted: true,
      filled: { title: 1 },
    })
  })
})

describe('links', () => {
  const html =
    '<base href="/shop/"><div class=p><a href="1">1</a></div><a class=p href="2#x">2</a>' +
    '<a class=p href="mailto:a@b.c">m</a><a class=next href="?page=2">next</a><map>' +
    '<area href="/3"></map>'

  test('begin at the base of the page, however its tag is written', () => {
    for (const base of ['<base href="/a/">', '<BASE\nhref=/a/>', '<base/href="/a/">'])
      expect(run({ follow: [{ links: 'a' }] }, `${base}<a href="1">1</a>`).links).toMatchObject([
        { url: 'https://shop.example/a/1' },
      ])
  })

  test('get label, depth and hop from the rules', () => {
    const follow = [
      { links: '.p', as: 'detail' },
      { next: '.next', maxPages: 3 },
    ]
    expect(run({ follow }, html, { label: 'start', depth: 4, hop: 2 }).links).toEqual([
      { url: 'https://shop.example/shop/1', label: 'detail', depth: 5, hop: 1 },
      { url: 'https://shop.example/shop/2', label: 'detail', depth: 5, hop: 1 },
      { url: 'https://shop.example/shop/?page=2', label: 'start', depth: 4, hop: 3 },
    ])
    expect(run({ follow }, html, { label: 'start', depth: 4, hop: 3 }).links).toHaveLength(2)
    expect(
      run(
        {
          follow: [
            { links: '.p', on: 'detail' },
            { links: 'area', as: 'detail' },
          ],
        },
        html,
      ).links,
    ).toEqual([{ url: 'https://shop.example/3', label: 'detail', depth: 1, hop: 1 }])
  })

  test('are all followed without rules, if the crawl says so', () => {
    expect(run({ crawl: { maxDepth: 2 } }, html).links.map((link) => link.url)).toEqual([
      'https://shop.example/shop/1',
      'https://shop.example/shop/2',
      'https://shop.example/shop/?page=2',
      'https://shop.example/3',
    ])
    expect(run({ crawl: { maxPages: 2 } }, html).links).toEqual([])
  })
})

test('the row of a failed page takes few steps, whatever the recipe does with its facts', () => {
  const url = `https://shop.example/${'e'.repeat(1_900)}`
  const grown = {
    page: 'url' as const,
    transform: [{ replace: ['e', 'e'.repeat(400)] as [string, string] }],
  }
  const fields = {
    status: { page: 'status' as const },
    ...Object.fromEntries(Array.from({ length: 150 }, (_, column) => [`c${column}`, grown])),
  }
  const plan = compileRecipe(v.parse(recipeSchema, { start, extract: { failed: true, fields } }))
  const failed = plan.failed(
    {
      url,
      finalUrl: null,
      status: 500,
      outcome: 'failed',
      error: 'The site answered 500',
      contentType: null,
      bytes: 0,
    },
    startVisit,
  )
  const [row = {}] = failed?.rows ?? []
  expect([row['status'], Object.keys(row).length]).toEqual([500, 151])
  expect(JSON.stringify(row).length).toBeLessThan(600_000)
})
