import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detect } from '../../../src/engine/extract/auto.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { FORMATS } from '../../../src/engine/recipe/schema.ts'
import { mutatePage, pageChanges } from '../../support/mutate-page.ts'

const PROSE = 'The tide turned at noon, and the boats left the harbour one after another, slowly. '
const HTML = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tides | Post</title>
<meta property="og:type" content="article"><meta property="og:price" content="€ 12,50">
<script type="application/ld+json">{"@context":"https://schema.org","@type":["Article","Product"],
"headline":"Tides","author":{"name":"Ida"},"offers":{"price":"12.50"},"comment":[{"text":"Yes"}]}</script>
<script>window.__STATE__ = {"items":[{"name":"Tides","price":3}]}</script></head><body class="h-entry">
<nav><a href="/">Home</a></nav><main><article vocab="https://schema.org/" typeof="Article">
<h1 class="p-name" property="headline">Tides</h1><p class="byline">By <a rel="author">Ida Lund</a>, 4 March 2026</p>
<div class="e-content"><p>${PROSE.repeat(4)}</p><pre>let a
b</pre><ul><li>one<li>two</ul><blockquote>${PROSE}</blockquote>
<table><caption>Ports</caption><tr><th rowspan=2>Port<th colspan=2>Tide</tr><tr><td>1.234,5<td>3</tr></table>
<figure class="gallery"><img src=a.png alt="x"><figcaption>${PROSE}</figcaption></figure></div></article>
<div itemscope itemtype="https://schema.org/Product" itemref="more"><b itemprop="name">Lamp</b>
<span class="price">$ 12.50</span><s>$ 20.00</s><button>Add to cart</button></div><p id="more" itemprop="sku">A-1</p>
<ul class="cards">${'<li><h3><a href="/a?x=1">Other</a></h3><p>Text</p></li>'.repeat(6)}</ul>
<ol class="comment-list">${(
  '<li class="comment"><b class="fn">Ole</b><time datetime="2026-03-05">x</time><p>Yes</p>' +
  '</li>'
).repeat(3)}</ol>
<a rel="next" href="?page=2">2</a></main><noscript>${PROSE.repeat(30)}</noscript></body></html>`
const FEED = `<?xml version="1.0"?><rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>Post</title>
<item><title>Tides &amp; more</title><link>https://a.example/1</link><pubDate>Wed, 04 Mar 2026 05:06:07 GMT</pubDate>
<dc:creator>Ida</dc:creator><description><![CDATA[<p>${PROSE}</p>]]></description></item></channel></rss>`

const recipe = compileRecipe(
  parseRecipe({
    start: { urls: ['https://a.example/'] },
    follow: [{ next: ':auto' }, { links: 'a' }],
    extract: {
      fields: {
        price: { product: 'price' },
        reasons: { product: 'reasons' },
        state: { state: '$..price', many: true },
        data: { jsonld: '$..name', many: true },
        item: { microdata: 'Product.name' },
        cell: { css: 'td', as: 'number', many: true },
        date: { css: '.byline', as: 'date' },
        texts: { css: 'p', as: 'markdown', many: true },
        path: { xpath: '//li[.//a]/descendant::text()', many: true },
      },
    },
    formats: FORMATS.filter((format) => format !== 'screenshot'),
  }),
)

test.each([
  ['HTML', HTML, 'text/html', 200],
  ['feeds', FEED, 'application/xml', 200],
] as const)(
  'a page that is damaged in any way is read without an error: %s',
  (_, whole, contentType, numRuns) => {
    fc.assert(
      fc.property(pageChanges, (changes) => {
        const body = new TextEncoder().encode(mutatePage(whole, changes))
        const page = { url: 'https://a.example/tides', contentType, body }
        const result = recipe.process(page, { label: 'start', depth: 0, hop: 1 })
        expect(result.overrun).toBeUndefined()
        expect(JSON.parse(JSON.stringify(result.rows))).toEqual(result.rows)
        expect(detect(page).confidence).toBeLessThanOrEqual(1)
      }),
      { numRuns },
    )
  },
)
