import { createRandom, type Random } from './random.ts'
import { escapeHtml, footer, head, sentence, title } from './shop-parts.ts'

/** The values that the five selectors of the benchmark must find on a product's page. */
export interface ShopRow {
  readonly title: string
  readonly price: number
  readonly sku: string
  readonly rating: string
  readonly description: string
}

/** A generated shop: every page is a pure function of the options. */
export interface Shop {
  /** Rows in product order. */
  readonly rows: readonly ShopRow[]
  /** Pages that the benchmark's crawl visits: home, listings, products. */
  readonly crawlPages: number
  /** Path and query, content type and body of everything there is to serve. */
  pages(
    origin: string,
  ): Generator<{ readonly path: string; readonly type: string; readonly body: string }>
}

export interface ShopOptions {
  readonly seed: string
  readonly products: number
}

const CATEGORIES = 10
const PER_LISTING = 50
const PAGE_LENGTH = 40_960
const HTML = 'text/html; charset=utf-8'

/** 10 categories, 50 products a listing page with a `next` link, product pages of about 40 KB. */
export function createShop({ seed, products }: ShopOptions): Shop {
  const rows = Array.from({ length: products }, (_, index) => rowOf(seed, index))
  const paths = rows.map((row, index) => `/item/${index}-${row.sku.toLowerCase()}`)
  const shelves = Array.from({ length: CATEGORIES }, (_, shelf) =>
    Array.from(rows.keys()).filter((index) => index % CATEGORIES === shelf),
  )
  const listings = shelves.flatMap((items, shelf) =>
    Array.from({ length: Math.max(1, Math.ceil(items.length / PER_LISTING)) }, (_, page) => ({
      shelf,
      page,
      items: items.slice(page * PER_LISTING, (page + 1) * PER_LISTING),
      more: (page + 1) * PER_LISTING < items.length,
    })),
  )
  const link = (index: number, css: string) =>
    `<a class="${css}" href="${paths[index] ?? ''}">${escapeHtml(rows[index]?.title ?? '')}</a>`
  return {
    rows,
    crawlPages: 1 + listings.length + products,
    *pages(origin) {
      const shelfLinks = shelves
        .map(
          (_, shelf) =>
            `<li><a class="category-link" href="${listingPath(shelf, 0)}">Aisle ${shelf}</a></li>`,
        )
        .join('')
      yield {
        path: '/',
        type: HTML,
        body: `${head(seed, 'Welcome')}<main><h1>Welcome</h1><ul>${shelfLinks}</ul></main>${footer(seed)}`,
      }
      for (const { shelf, page, items, more } of listings) {
        const cards = items
          .map(
            (index) =>
              `<li class="card">${link(index, 'product-link')}<span class="price">` +
              `${money(rows[index]?.price ?? 0)}</span></li>`,
          )
          .join('')
        const next = more
          ? `<a class="next" rel="next" href="${listingPath(shelf, page + 1)}">Next</a>`
          : ''
        yield {
          path: listingPath(shelf, page),
          type: HTML,
          body:
            `${head(seed, `Aisle ${shelf}`)}<main><h1>Aisle ${shelf}</h1><ol>${cards}` +
            `</ol><nav class="pager">${next}</nav></main>${footer(seed)}`,
        }
      }
      for (const [index, row] of rows.entries()) {
        const random = createRandom(seed, 'page', index)
        const related = Array.from(
          { length: 12 },
          () => `<li>${link(random.below(products), 'related-link')}</li>`,
        ).join('')
        yield {
          path: paths[index] ?? '',
          type: HTML,
          body: productPage(seed, row, `${origin}${paths[index] ?? ''}`, related, random),
        }
      }
      yield {
        path: '/robots.txt',
        type: 'text/plain; charset=utf-8',
        body: `User-agent: *\nDisallow: /basket\n\nSitemap: ${origin}/sitemap.xml\n`,
      }
      const locations = paths.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('\n')
      yield {
        path: '/sitemap.xml',
        type: 'application/xml',
        body:
          '<?xml version="1.0" encoding="UTF-8"?>\n' +
          `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${locations}` +
          '\n</urlset>\n',
      }
    },
  }
}

const listingPath = (shelf: number, page: number) =>
  `/aisle/${shelf}${page === 0 ? '' : `?page=${page + 1}`}`
const money = (amount: number) =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`

// Text with entities, quotes and letters outside ASCII, so that a reader which decodes wrongly
// cannot pass.
function rowOf(seed: string, index: number): ShopRow {
  const random = createRandom(seed, 'row', index)
  const name = title(random, 3)
  return {
    title: random.below(6) === 0 ? `${name} “${title(random, 1)}” & Søn` : `${name} ${index}`,
    price: (100 + random.below(250_000)) / 100,
    sku: `${random
      .below(36 ** 4)
      .toString(36)
      .padStart(4, '0')}-${index}`.toUpperCase(),
    rating: (1 + random.below(41) / 10).toFixed(1),
    description:
      `${sentence(random, 30)} Fits pipes < ${1 + random.below(90)} mm & loads > ` +
      `${random.below(40)} kg. ${sentence(random, 9)}`,
  }
}

function productPage(
  seed: string,
  row: ShopRow,
  url: string,
  related: string,
  random: Random,
): string {
  const product = {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name: row.title,
    sku: row.sku,
    description: row.description,
    url,
    aggregateRating: {
      '@type': 'AggregateRating',
      ratingValue: row.rating,
      reviewCount: 1 + random.below(400),
    },
    offers: { '@type': 'Offer', price: row.price.toFixed(2), priceCurrency: 'USD' },
  }
  const data =
    `<link rel="canonical" href="${url}"><meta name="description" content="` +
    `${escapeHtml(row.description)}"><script type="application/ld+json">` +
    `${JSON.stringify(product).replaceAll('<', '\\u003c')}</script>`
  let html =
    `${head(seed, row.title, data)}<main><article class="item"><h1 class="item-name">` +
    `${escapeHtml(row.title)}</h1>`
  html +=
    `<div class="offer"><s class="was">${money(row.price * 1.25)}</s><span class="price">` +
    `${money(row.price)}</span><a rel="nofollow" href="/basket?add=${row.sku}">Add</a></div>`
  html +=
    `<dl class="facts"><dt>Code</dt><dd class="sku">${row.sku}</dd></dl><div class="stars" ` +
    `data-value="${row.rating}"><i></i><i></i><i></i></div>`
  html +=
    `<section class="about"><p>${escapeHtml(row.description)}</p></section>` +
    `${measures(random)}<aside><h2>See also</h2><ul>${related}</ul></aside><section ` +
    'class="opinions"><h2>Opinions</h2>'
  const end = `</section></article></main>${footer(seed)}`
  while (html.length + end.length < PAGE_LENGTH - 250) html += opinion(random)
  return html + end
}

function measures(random: Random): string {
  const line = () =>
    `<tr><th scope="row">${title(random, 2)}</th><td>${(random.next() * 900).toFixed(1)}` +
    `</td><td>${sentence(random, 3)}</td></tr>`
  const table = () =>
    `<table class="measures"><caption>${title(random, 2)}</caption><tbody>` +
    `${Array.from({ length: 12 }, line).join('')}</tbody></table>`
  return table() + table() + table()
}

function opinion(random: Random): string {
  return (
    `<div class="opinion"><h3>${title(random, 4)}</h3><span class="by">${title(random, 1)}` +
    `</span><img src="/face/${random.below(500)}.png" alt="" width="32" height="32"><p>` +
    `${sentence(random, 22)} <em>${sentence(random, 4)}</em>&nbsp;${sentence(random, 11)}` +
    '</p></div>\n'
  )
}
