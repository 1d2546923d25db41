import type { Category, Product } from './catalogue.ts'

/** Products on one page of a category. */
export const PER_PAGE = 7

const SHOP = 'Harbour Lane Stationers'

const CSS = `
:root { color-scheme: light; --ink: #23303a; --quiet: #64727c; --line: #dfe4e6; --accent: #17617a }
* { box-sizing: border-box } body { margin: 0; font: 16px/1.55 Georgia, serif; color: var(--ink); background: #fbfaf7 }
header, main, footer { max-width: 60rem; margin: 0 auto; padding: 1rem 1.25rem } header { display: flex; gap: 2rem; align-items: baseline; border-bottom: 1px solid var(--line) }
a { color: var(--accent); text-decoration: none } a:hover { text-decoration: underline } .brand { font-size: 1.3rem; color: var(--ink) } nav.categories a { margin-right: 1.1rem }
.products { list-style: none; padding: 0; display: grid; gap: 1.25rem; grid-template-columns: repeat(auto-fill, minmax(13rem, 1fr)) }
.product { background: #fff; border: 1px solid var(--line); border-radius: 8px; padding: 1rem } .product img, .photo { width: 100%; border-radius: 6px; display: block } .product h2 { font-size: 1rem; margin: .6rem 0 .2rem }
.price { font-weight: bold } .rating, .stock, .breadcrumb, footer { color: var(--quiet); font-size: .9rem } .stock.out { color: #a33 } .pager { display: flex; gap: 1rem; margin: 1.5rem 0 }
.detail { display: grid; gap: 2rem; grid-template-columns: minmax(0, 22rem) 1fr } @media (max-width: 42rem) { .detail { grid-template-columns: 1fr } } dt { color: var(--quiet) } dd { margin: 0 0 .4rem }
footer { border-top: 1px solid var(--line); margin-top: 3rem }`

/** Text as it stands in HTML, in an attribute too. */
export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

export const productPath = (product: Product): string => `/product/${product.slug}`
export const imagePath = (product: Product): string => `/images/${product.slug}.svg`
export const categoryPath = (category: Category, page = 1): string =>
  `/category/${category.slug}${page > 1 ? `?page=${page}` : ''}`

const money = (amount: number) => `€${amount.toFixed(2)}`
const stars = (rating: number) =>
  '★'.repeat(Math.round(rating)) + '☆'.repeat(5 - Math.round(rating))
const ratingOf = (product: Product) =>
  `<p class="rating" title="${product.rating.toFixed(1)} of 5">${stars(product.rating)} <span class="reviews">${product.reviews} reviews</span></p>`
const stockOf = (product: Product) =>
  product.stock === 0
    ? '<p class="stock out">Sold out</p>'
    : `<p class="stock">In stock: ${product.stock}</p>`
const jsonLd = (data: object) =>
  `<script type="application/ld+json">${JSON.stringify({ '@context': 'https://schema.org', ...data }).replaceAll('<', '\\u003c')}</script>`

function layout(categories: readonly Category[], title: string, body: string, head = ''): string {
  const links = categories
    .map((category) => `<a href="${categoryPath(category)}">${escapeHtml(category.name)}</a>`)
    .join('')
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} – ${SHOP}</title>${head}<style>${CSS}</style></head>
<body><header><a class="brand" href="/">${SHOP}</a><nav class="categories">${links}</nav></header>
<main>${body}</main>
<footer>A shop that sells nothing: the demo site of Seine. <a href="/about">About</a> · <a href="/cart" rel="nofollow">Your basket</a></footer></body></html>
`
}

/** The first page: what is new and the ways to the categories. */
export function homePage(categories: readonly Category[]): string {
  const shelves = categories
    .map(
      (category) =>
        `<section><h2><a href="${categoryPath(category)}">${escapeHtml(category.name)}</a></h2><p>${category.products.length} things, from ${money(Math.min(...category.products.map((one) => one.price)))}.</p></section>`,
    )
    .join('')
  return layout(
    categories,
    'Paper, pens and things for the desk',
    `<h1>Paper, pens and things for the desk</h1><p>Open by the harbour since 1904, except on very fine days.</p>${shelves}`,
  )
}

/** A page of prose without any product. */
export function aboutPage(categories: readonly Category[]): string {
  return layout(
    categories,
    'About',
    `<article><h1>About the shop</h1><p>This site is generated in memory by the demo. It has ${categories.length} categories and ${categories.flatMap((one) => one.products).length} products, and it is the same each time it starts.</p></article>`,
  )
}

/** A page of a category: a grid of products with a pager. Pages count from 1; `null` past the end. */
export function categoryPage(
  categories: readonly Category[],
  category: Category,
  page: number,
): string | null {
  const pages = Math.ceil(category.products.length / PER_PAGE)
  if (page < 1 || page > pages) return null
  const cards = category.products
    .slice((page - 1) * PER_PAGE, page * PER_PAGE)
    .map(
      (
        one,
      ) => `<li class="product"><a class="product-link" href="${productPath(one)}"><img src="${imagePath(one)}" alt="" width="320" height="240"><h2>${escapeHtml(one.name)}</h2></a>
<span class="price">${money(one.price)}</span>${ratingOf(one)}${stockOf(one)}</li>`,
    )
    .join('\n')
  const previous =
    page > 1
      ? `<a class="previous" rel="prev" href="${categoryPath(category, page - 1)}">Previous</a>`
      : ''
  const next =
    page < pages
      ? `<a class="next" rel="next" href="${categoryPath(category, page + 1)}">Next</a>`
      : ''
  const crumbs = `<nav class="breadcrumb"><a href="/">Home</a> › <span>${escapeHtml(category.name)}</span></nav>`
  return layout(
    categories,
    category.name,
    `${crumbs}<h1>${escapeHtml(category.name)}</h1><ol class="products">\n${cards}\n</ol><nav class="pager">${previous}<span>Page ${page} of ${pages}</span>${next}</nav>`,
  )
}

/** A product's own page, with its JSON-LD. */
export function productPage(
  categories: readonly Category[],
  category: Category,
  product: Product,
  origin: string,
): string {
  const data = jsonLd({
    '@type': 'Product',
    name: product.name,
    sku: product.sku,
    category: product.category,
    description: product.description,
    image: origin + imagePath(product),
    brand: { '@type': 'Brand', name: SHOP },
    aggregateRating: {
      '@type': 'AggregateRating',
      ratingValue: product.rating,
      reviewCount: product.reviews,
    },
    offers: {
      '@type': 'Offer',
      price: product.price.toFixed(2),
      priceCurrency: 'EUR',
      availability: `https://schema.org/${product.stock === 0 ? 'OutOfStock' : 'InStock'}`,
      url: origin + productPath(product),
    },
  })
  const steps = [
    { name: 'Home', path: '/' },
    { name: category.name, path: categoryPath(category) },
    { name: product.name, path: productPath(product) },
  ]
  const trail = jsonLd({
    '@type': 'BreadcrumbList',
    itemListElement: steps.map((step, i) => ({
      '@type': 'ListItem',
      position: i + 1,
      name: step.name,
      item: origin + step.path,
    })),
  })
  const body = `<nav class="breadcrumb"><a href="/">Home</a> › <a href="${categoryPath(category)}">${escapeHtml(category.name)}</a> › <span>${escapeHtml(product.name)}</span></nav>
<article class="detail"><img class="photo" src="${imagePath(product)}" alt="${escapeHtml(product.name)}" width="320" height="240"><div><h1>${escapeHtml(product.name)}</h1>
<p><span class="price">${money(product.price)}</span></p>${ratingOf(product)}${stockOf(product)}<p class="description">${escapeHtml(product.description)}</p>
<dl><dt>Article</dt><dd class="sku">${product.sku}</dd></dl><a href="/cart?add=${product.sku}" rel="nofollow">Put in the basket</a></div></article>`
  return layout(
    categories,
    product.name,
    body,
    `<meta name="description" content="${escapeHtml(product.description)}"><link rel="canonical" href="${origin}${productPath(product)}">${data}${trail}`,
  )
}

/** A picture of a product: two shapes in its colours. */
export function productImage(product: Product): string {
  const turn = product.hue % 45
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 320 240" width="320" height="240" role="img" aria-label="${escapeHtml(product.name)}"><rect width="320" height="240" fill="hsl(${product.hue} 30% 90%)"/><g transform="rotate(${turn} 160 120)"><rect x="105" y="45" width="110" height="150" rx="8" fill="hsl(${product.hue} 42% 46%)"/><rect x="119" y="65" width="82" height="8" rx="4" fill="hsl(${product.hue} 30% 90%)"/></g></svg>
`
}
