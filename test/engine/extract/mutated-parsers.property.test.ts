import fc from 'fast-check'
import { atOnce } from '../../../src/engine/extract/page/in-turns.ts'
import { expect, test } from 'vitest'
import { detectAllParts } from '../../../src/engine/extract/auto.ts'
import { PageBudget } from '../../../src/engine/extract/page/page-budget.ts'
import { PageContent, START } from '../../../src/engine/extract/page/page-content.ts'
import { openPageWork } from '../../../src/engine/page-work.ts'
import { joinTables, tablesOfPage } from '../../../src/engine/pdf/tables-of-page.ts'
import { mutatePage, pageChanges } from '../../support/mutate-page.ts'

// Tests, each by itself, the parsers of structured data, the detection of lists and posts, and the
// search for values of old rows: a recipe would read only the parts that it names.

const PROSE = 'The tide turned at noon, and the boats left the harbour one after another. '
const POSTS = [1, 2, 3, 4, 5, 6]
  .map(
    (i) =>
      `<li class="comment" itemprop="comment" id="comment-${i}"><h4 class="username"><a href="/members/${i}">Ole ${i}</a></h4>
<a href="#c${i}"><time datetime="2026-03-0${i}">x</time></a><blockquote><b>Ida said:</b></blockquote><div>${PROSE} ${i}</div></li>`,
  )
  .join('')
const GOODS = [1, 2, 3, 4, 5, 6]
  .map(
    (i) =>
      `<li class="Card_tile__x6Dx1 h-product"><a class="u-url" href="/p/${i}"><img class="u-photo" src="/${i}.jpg"></a><a href="/p/${i}">
<span class="p-name">Lamp number ${i}</span></a><del>$${i}9</del><span class="price">$${i}5<sup>99</sup></span><i itemprop="brand">B${i}</i> 12 reviews</li>`,
  )
  .join('')
const PAGE = `<!doctype html><html lang="en" prefix="dc: http://purl.org/dc/terms/"><head><title>Tides</title><base href="/a/">
<script id="__NEXT_DATA__" type="application/json">{"props":{"items":[{"name":"A","price":1},{"name":"B","price":2},{"name":"C","price":3}]}}</script>
<script>window.__APOLLO_STATE__={"a":{"b":[1,2,{"c":null}]},};var x = {y: 'z', /* no */ n: 1e3,}</script></head>
<body vocab="https://schema.org/" typeof="WebPage" class="h-feed"><div class="h-card vcard"><a class="p-name u-url fn url" href="/me">Ida</a>
<span class="p-adr h-adr"><b class="p-locality">Bergen</b></span></div><div about="#it" typeof="Product"><b property="name" lang="nn">Lampe</b>
<a property="url" rel="dc:source" href="x">y</a><span property="price" content="12" datatype="xsd:decimal">12</span><ol rel="inlist" inlist=""><li property="a" inlist>1</ol></div>
<div class="h-entry"><time class="dt-published" datetime="2026-03-04T05:06+01:00">x</time><p class="e-content">${PROSE}</p>
<span class="dt-start"><span class="value">2026-03-04</span> <span class="value">7pm</span></span></div>
<ul>${GOODS}</ul><ol class="comment-list">${POSTS}</ol></body></html>`

function pageOf(html: string) {
  const body = new TextEncoder().encode(html)
  return { url: 'https://a.example/a/tides', contentType: 'text/html', body }
}

test('the structured data of a page that is damaged in any way is plain data, with bounded work', () => {
  fc.assert(
    fc.property(pageChanges, (changes) => {
      const budget = new PageBudget()
      const content = new PageContent(pageOf(mutatePage(PAGE, changes)), START, budget)
      const items = [content.microformats, content.rdfa, content.microdata]
      const answers = [
        ...items.map((list) => list.map(({ value }) => value)),
        content.data,
        content.state,
      ]
      expect(JSON.parse(JSON.stringify(answers))).toHaveLength(5)
      for (const { kind, confidence } of atOnce(detectAllParts(content))) {
        expect(kind).toMatch(/^(?:list|table|article|product|page)$/)
        expect(confidence).toBeLessThanOrEqual(1)
      }
      expect(budget.overrun).toBeNull()
    }),
    { numRuns: 200 },
  )
})

test('a page that is damaged in any way is searched for old values, explained and shown without an error', async () => {
  const work = await openPageWork({
    start: { urls: ['https://a.example/'] },
    follow: [{ next: ':auto' }, { links: 'a', as: 'more' }],
    extract: {
      items: '.gone, li',
      fields: {
        title: 'h9',
        price: { css: '.price', as: 'number' },
        brand: { microdata: 'brand' },
      },
    },
  })
  const sought = {
    columns: ['title', 'price'],
    rows: [1, 2, 3].map((i) => ({
      title: `Lamp number ${i}`,
      price: i * 10 + 5.99,
      brand: `B${i}`,
    })),
  }
  await fc.assert(
    fc.asyncProperty(pageChanges, fc.nat(400), async (changes, element) => {
      const page = pageOf(mutatePage(PAGE, changes))
      const relocation = await work.answer('relocate', { ...page, sought }, START)
      expect(JSON.parse(JSON.stringify(relocation))).toEqual(relocation)
      const { result, explanation } = await work.answer('inspect', page, START)
      expect(JSON.parse(JSON.stringify(result.rows))).toEqual(result.rows)
      for (const { values, reason } of explanation?.sources ?? [])
        expect(reason === null).toBe(values > 0)
      const { html } = await work.answer('view', page, START)
      expect(html).not.toMatch(/<script/i)
      const pointed = { elements: [element] }
      await work.answer('point', { ...page, pointed }, START).catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'BAD_REQUEST' })
      })
    }),
    { numRuns: 80 },
  )
})

test('any words and lines of a PDF give tables whose rows have the same cells', () => {
  const point = fc.integer({ min: -50, max: 900 })
  const word = fc
    .record({
      text: fc.oneof(
        fc.constantFrom('12,50', 'Total', '•', '1)', ''),
        fc.string({ maxLength: 40 }),
      ),
      left: point,
      width: fc.integer({ min: 0, max: 300 }),
      y: fc.oneof(point, fc.constantFrom(100, 112, 124, 136)),
      height: fc.integer({ min: 0, max: 40 }),
    })
    .map(({ width, ...one }) => ({ ...one, right: one.left + width }))
  const rule = fc
    .record({
      at: fc.oneof(point, fc.constantFrom(100, 200, 300)),
      from: point,
      length: fc.nat(800),
    })
    .map(({ at, from, length }) => ({ at, from, to: from + length }))
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { maxLength: 60 }), { minLength: 1, maxLength: 3 }),
      fc.array(rule, { maxLength: 12 }),
      fc.array(rule, { maxLength: 12 }),
      (pages, horizontal, vertical) => {
        const tables = joinTables(
          pages.map((words) => tablesOfPage(words, { horizontal, vertical })),
        )
        for (const { rows } of tables)
          expect(new Set(rows.map(({ length }) => length)).size).toBeLessThanOrEqual(1)
      },
    ),
    { numRuns: 500 },
  )
})
