/** A page that the bench's site serves. */
export interface BenchPage {
  readonly path: string
  readonly html: string
}

/** Number of products on one page of the list. */
const LISTED = 20
const WORDS = (
  'amber basin cedar drift ember fjord grove heath islet jetty knoll larch marsh north ' +
  'ochre plume quartz ridge slate thorn umber vale willow yarrow'
).split(' ')

/**
 * Generates a shop of exactly `count` pages, at least 2: list pages linked by `a.next`, and
 * products of about 8 KiB linked by `a.product`. The same number gives the same shop.
 */
export function benchPages(count: number): BenchPage[] {
  const lists = Math.ceil(count / (LISTED + 1))
  const products = count - lists
  return [
    ...Array.from({ length: lists }, (_, i) => ({
      path: listPath(i),
      html: listPage(i, lists, products),
    })),
    ...Array.from({ length: products }, (_, i) => ({ path: productPath(i), html: productPage(i) })),
  ]
}

/** The recipe for the shop: one row for each product. */
export function benchRecipe(origin: string, pages: number, concurrency: number) {
  return {
    start: { urls: [`${origin}/`] },
    follow: [
      { next: 'a.next', maxPages: 100_000 },
      { links: 'a.product', as: 'product' },
    ],
    crawl: { maxPages: pages, concurrency },
    extract: {
      on: 'product',
      fields: {
        name: 'h1',
        price: { css: '.price', as: 'number' },
        sku: '.facts .sku',
        stock: { css: '.facts .stock', as: 'integer' },
        rating: { css: '.stars', attr: 'data-value', as: 'number' },
        about: '.about > p',
      },
    },
  }
}

function listPage(index: number, lists: number, products: number): string {
  const links = Array.from(
    { length: Math.min(LISTED, products - index * LISTED) },
    (_, i) => index * LISTED + i,
  ).map(
    (i) =>
      `<li class="card"><a class="product" href="${productPath(i)}">${nameOf(i)}</a> ` +
      `<span class="price">${priceOf(i)}</span></li>`,
  )
  const next = index + 1 < lists ? `<a class="next" href="${listPath(index + 1)}">Next</a>` : ''
  return document(`Page ${index + 1}`, `<ul class="list">${links.join('\n')}</ul>${next}`)
}

function productPage(index: number): string {
  const facts =
    `<dl class="facts"><dt>SKU</dt><dd class="sku">SKU-${String(index).padStart(6, '0')}</dd>` +
    `<dt>In stock</dt><dd class="stock">${(index * 7) % 50}</dd></dl>`
  const reviews = Array.from(
    { length: 12 },
    (_, i) =>
      `<article class="review"><h3>${words(index + i, 5)}</h3><p>${words(index * 13 + i, 60)}.</p></article>`,
  )
  return document(
    nameOf(index),
    `<h1>${nameOf(index)}</h1><p class="price">${priceOf(index)}</p>` +
      `<span class="stars" data-value="${(index % 9) / 2 + 0.5}"></span>${facts}` +
      `<section class="about"><p>${words(index, 80)}.</p></section>` +
      `<section>${reviews.join('\n')}</section>`,
  )
}

function document(title: string, body: string): string {
  const menu = Array.from(
    { length: 12 },
    (_, i) => `<li><a href="/#${WORDS[i]}">${WORDS[i]}</a></li>`,
  ).join('')
  return (
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>` +
    `<body><header><nav><ul>${menu}</ul></nav></header><main>${body}</main>` +
    `<footer><p>${words(1, 30)}</p></footer></body></html>`
  )
}

function listPath(index: number): string {
  return index === 0 ? '/' : `/page/${index + 1}`
}

function productPath(index: number): string {
  return `/product/${index + 1}`
}

function nameOf(index: number): string {
  return words(index, 3)
}

function priceOf(index: number): string {
  return `€ ${((index * 37) % 9_000) / 100 + 1}`
}

/** Returns `count` words in an order that depends on `seed`. */
function words(seed: number, count: number): string {
  return Array.from(
    { length: count },
    (_, i) => WORDS[(seed * 31 + i * ((seed % 7) + 5)) % WORDS.length],
  ).join(' ')
}
