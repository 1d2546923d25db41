/**
 * The cost of `Plan.process` a page, beside the bare loop a person would write with the same
 * libraries: htmlparser2's tree and one compiled css-select query a field. Run: `node
 * bench/extract.ts [pages]`.
 */
import { compile, selectAll, selectOne } from 'css-select'
import type { AnyNode, Element } from 'domhandler'
import { textContent } from 'domutils'
import { parseDocument } from 'htmlparser2'
import { compileRecipe } from '../src/engine/plan/compile.ts'
import type { Page } from '../src/ports/page-processor.ts'
import { PageBudget } from '../src/engine/extract/page/page-budget.ts'
import { parseTree } from '../src/engine/extract/tree/parse-tree.ts'

const rounds = Number(process.argv[2] ?? 2_000)

/**
 * A product page of about 40 KB: navigation, a description, specifications, reviews, related
 * products, scripts.
 */
function productPage(id: number): string {
  const words = (count: number, seed: number) =>
    Array.from(
      { length: count },
      (_, index) =>
        ['steel', 'garden', 'light', 'compact', 'with', 'handle', 'and', 'warranty', 'of', 'years'][
          (index * 7 + seed * 3 + id) % 10
        ],
    ).join(' ')
  const nav = Array.from(
    { length: 60 },
    (_, index) =>
      `<li class="nav-item"><a class="nav-link" href="/c/${index}?ref=menu">Category ${index}</a></li>`,
  ).join('')
  const specs = Array.from(
    { length: 30 },
    (_, index) =>
      `<tr class="spec"><th scope="row">Property ${index}</th><td>${words(4, index)}</td></tr>`,
  ).join('')
  const reviews = Array.from(
    { length: 30 },
    (_, index) =>
      `<div class="review" data-id="${index}"><span class="author">Person ${index}` +
      `</span><span class="stars" title="${index % 5}">${'★'.repeat(index % 5)}` +
      `</span><p class="body">${words(80, index)}</p></div>`,
  ).join('\n')
  const related = Array.from(
    { length: 24 },
    (_, index) =>
      `<li class="card"><a class="related" href="/p/${id + index + 1}"><img loading="lazy" ` +
      `src="/img/${index}.jpg" alt="Product &amp; part ${index}"><h3>Product ${index}` +
      `</h3><span class="cost">$${index}.99</span></a></li>`,
  ).join('\n')
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Product ${id}</title><meta property="og:title" content="Product ${id}"><link rel="canonical" href="/p/${id}">
<style>${'.a{color:red}'.repeat(80)}</style></head><body class="page product"><header><nav><ul class="nav">${nav}</ul></nav></header>
<main id="main"><h1 class="product-title">Product ${id} &ndash; ${words(5, 1)}</h1><div class="buy"><span class="price" data-cents="${id}">$${id % 1000}.50</span><span class="sku">SKU-${id}</span>
<p class="availability in-stock">In stock</p></div><img class="hero" src="/img/${id}.jpg" alt=""><div class="description"><p>${words(350, 2)}</p><p>${words(350, 5)}</p></div>
<table class="specs"><tbody>${specs}</tbody></table><section class="reviews">${reviews}</section><ul class="grid">${related}</ul></main>
<script>${'window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)};'.repeat(30)}</script></body></html>`
}

const pages: Page[] = Array.from({ length: 50 }, (_, index) => ({
  url: `https://shop.example/p/${index}`,
  contentType: 'text/html; charset=utf-8',
  body: new TextEncoder().encode(productPage(index)),
}))
const plan = compileRecipe({
  start: { urls: ['https://shop.example/'] },
  follow: [{ links: 'a.related', as: 'detail' }],
  extract: {
    fields: {
      title: 'h1',
      price: { css: '.price', as: 'number' },
      sku: '.sku',
      image: { css: 'img.hero', attr: 'src' },
      description: '.description',
    },
  },
})
const query = (css: string) => compile<AnyNode, Element>(css)
const [title, price, sku, image, description, links] = [
  'h1',
  '.price',
  '.sku',
  'img.hero',
  '.description',
  'a.related',
].map(query)

function bare({ body, url }: Page): unknown {
  const document = parseDocument(new TextDecoder().decode(body))
  const text = (one: typeof title) => {
    const element = one === undefined ? null : selectOne(one, document)
    return element === null ? null : textContent(element).trim()
  }
  return {
    row: {
      title: text(title),
      price: Number(text(price)?.slice(1)),
      sku: text(sku),
      image:
        image === undefined ? null : selectOne<AnyNode, Element>(image, document)?.attribs['src'],
      description: text(description),
    },
    links:
      links === undefined
        ? []
        : selectAll<AnyNode, Element>(links, document).map(
            (element) => new URL(element.attribs['href'] ?? '', url).href,
          ),
  }
}

function measure(name: string, run: (page: Page) => unknown): void {
  for (let index = 0; index < 300; index++)
    run(pages[index % pages.length] ?? { url: '', contentType: '', body: new Uint8Array() })
  const times: number[] = []
  for (let index = 0; index < rounds; index++) {
    const page = pages[index % pages.length]
    if (page === undefined) continue
    const begin = performance.now()
    run(page)
    times.push(performance.now() - begin)
  }
  times.sort((a, b) => a - b)
  console.log(
    `${name.padEnd(32)} median ${times[times.length >> 1]?.toFixed(3)} ms  mean ` +
      (times.reduce((sum, one) => sum + one, 0) / times.length).toFixed(3) +
      ' ms a page',
  )
}

console.log(
  `${Math.round(pages.reduce((sum, page) => sum + page.body.length, 0) / pages.length / 102.4) / 10}` +
    ` KB a page, ${rounds} pages`,
)
const only = process.argv[3]
const cases: readonly (readonly [string, (page: Page) => unknown])[] = [
  ['bare loop', bare],
  ['Plan.process', (page) => plan.process(page, { label: 'start', depth: 0, hop: 1 })],
  ['htmlparser2 tree alone', (page) => parseDocument(new TextDecoder().decode(page.body))],
  [
    'our tree alone',
    (page) => parseTree(new TextDecoder().decode(page.body), false, new PageBudget()),
  ],
]
for (const [name, run] of cases) if (only === undefined || name === only) measure(name, run)
