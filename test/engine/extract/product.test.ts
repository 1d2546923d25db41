import { describe, expect, it } from 'vitest'
import { PageContent } from '../../../src/engine/extract/page/page-content.ts'
import { readProduct } from '../../../src/engine/extract/product/read-product.ts'
import { compileRecipe } from '../../../src/engine/plan/compile.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import type { Json, Row } from '../../../src/kernel/json.ts'
import type { Page } from '../../../src/ports/page-processor.ts'

const SHOP = 'https://lamps.example.com/p/halden-4471902'
const PARTS = [
  'name',
  'price',
  'currency',
  'availability',
  'sku',
  'gtin',
  'brand',
  'rating',
  'reviews',
  'reasons',
]

/** The values of the sources `product` on a page with this body, without those that are missing. */
function productOf(body: string, url = SHOP, language = 'en'): Row {
  const page = {
    url,
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(
      `<!doctype html><html lang="${language}"><title>Halden</title>${body}`,
    ),
  }
  const fields = Object.fromEntries(PARTS.map((product) => [product, { product }]))
  const { rows } = compileRecipe(
    parseRecipe({ start: { urls: [url] }, extract: { fields } }),
  ).process(page, { label: 'start', depth: 0, hop: 1 })
  return Object.fromEntries(Object.entries(rows[0] ?? {}).filter(([, value]) => value !== null))
}
const partsOf = (body: string, ...parts: readonly string[]): readonly (Json | undefined)[] => {
  const product = productOf(body)
  return parts.map((part) => product[part])
}
const ld = (data: unknown): string =>
  `<script type="application/ld+json">${JSON.stringify(data)}</script>`
const H1 = '<h1>Halden desk lamp</h1>'

describe('a product', () => {
  it('is merged from structured data, data of scripts and the shown page, with reasons', () => {
    const product = productOf(
      `${ld({ '@type': ['Thing', 'product'], name: 'Halden desk lamp', offers: [{ price: '129.00', availability: 'http://schema.org/InStock' }] })}
       <meta property="product:price:currency" content="EUR">
       ${H1}<dl><dt>EAN</dt><dd>4006381333931</dd></dl>
       <script id="__NEXT_DATA__" type="application/json">${JSON.stringify({ props: { product: { title: 'Halden desk lamp', brandName: 'Nordlys', sku: 'HD-7' } } })}</script>`,
    )
    expect(product).toEqual({
      name: 'Halden desk lamp',
      price: 129,
      currency: 'EUR',
      availability: 'InStock',
      sku: 'HD-7',
      gtin: '4006381333931',
      brand: 'Nordlys',
      reasons: {
        name: 'JSON-LD name',
        price: 'JSON-LD offers.price',
        currency: 'meta product:price:currency',
        availability: 'JSON-LD offers.availability',
        sku: 'state sku',
        gtin: 'label EAN',
        brand: 'state brandName',
      },
    })
  })

  it('is the product of the page, not one beside it', () => {
    const other = { '@type': 'Product', name: 'Moss clamp lamp', offers: { price: 39 } }
    const own = { '@type': 'Product', name: 'Halden desk lamp', offers: { price: 129 } }
    expect(partsOf(ld([other, { ...own, isRelatedTo: [other] }]) + H1, 'price')).toEqual([129])
    const list = Array.from({ length: 5 }, (_, index) => ({ ...other, name: `Moss ${index}` }))
    expect(partsOf(ld(list) + H1, 'price')).toEqual([undefined])
  })

  const MICRODATA =
    '<div itemscope itemtype="https://schema.org/Product">' +
    '<span itemprop=name>Halden desk lamp</span><span itemprop=brand itemscope ' +
    'itemtype="https://schema.org/Brand"><meta itemprop=name content=Nordlys></span>' +
    '<div itemprop=offers itemscope itemtype="https://schema.org/Offer">' +
    '<meta itemprop=price content="129.5"><link itemprop=availability ' +
    'href="https://schema.org/SoldOut"></div></div>'
  it('may be stated as microdata', () => {
    expect(partsOf(MICRODATA + H1, 'price', 'brand', 'availability')).toEqual([
      129.5,
      'Nordlys',
      'OutOfStock',
    ])
  })

  it.each<readonly [string, Json, string, Json]>([
    ['a dot before three digits groups them', '3.499', 'ARS', 3_499],
    ['but not in a currency with three decimals', '3.499', 'KWD', 3.499],
    ['a comma before two digits begins the fraction', '1.299,50', 'EUR', 1_299.5],
    ['nor where a comma could be either there', '3,499', 'KWD', null],
    ['a comma before three digits groups them', '3,499', 'USD', 3_499],
    ['two decimals are a fraction', '3.49', 'USD', 3.49],
    ['four decimals are a fraction', '25.0000', 'USD', 25],
    ['a price of 0 is none', 0, 'EUR', null],
  ])('has a price: %s', (_, price, priceCurrency, expected) => {
    const body = ld({ '@type': 'Product', name: 'x', offers: { price, priceCurrency } })
    expect(partsOf(body, 'price')).toEqual([expected ?? undefined])
  })

  it.each<readonly [string, string, number | undefined]>([
    ['that is named so', '<p class="price">€ 12,50</p>', 12.5],
    ['that is not the earlier one', '<div class=price><del>€ 20</del> <span>€ 15</span></div>', 15],
    ['that is near the heading without a name', '<div><b>$ 8.90</b></div>', 8.9],
    ['without a share in it', '<p class=price>-21% $5,900</p>', 5_900],
    [
      'and not that of a similar product',
      '<div class=related><p class=price>€ 3</p></div>',
      undefined,
    ],
    [
      'and not a text with many amounts',
      '<p class=price>1 box 839 each, 35 a tin, was 1,080</p>',
      undefined,
    ],
  ])('has a shown price %s', (_, body, price) => {
    expect(partsOf(H1 + body, 'price')).toEqual([price])
  })

  it.each<readonly [language: string, text: string, price: number | undefined]>([
    ['de', '2.400', 2_400],
    ['de', '€ 2.400', 2_400],
    ['de', '1.200,-', 1_200],
    ['', '2.400', 2_400],
    ['', '2,400', 2_400],
    ['en', '2,400', 2_400],
    // English writes a point before a fraction, and a price never has three decimals.
    ['en', '2.400', undefined],
    ['en', '€ 2.400', undefined],
  ])('has a shown price in the language %j: %s', (language, text, price) => {
    const product = productOf(`${H1}<p class=price>${text}</p>`, SHOP, language)
    expect(product['price']).toBe(price)
  })

  it.each<readonly [path: string, text: Json, expected: number | undefined]>([
    ['reviewCount', '1.234', 1_234],
    ['reviewCount', '1,234', 1_234],
    ['reviewCount', 12, 12],
    ['reviewCount', '1.5', undefined],
    ['ratingValue', '4,125', 4.125],
    ['ratingValue', '4.125', 4.125],
    ['ratingValue', '4,5', 4.5],
  ])('with %s %j has the value %j', (path, text, expected) => {
    const body = ld({ '@type': 'Product', name: 'x', aggregateRating: { [path]: text } })
    const part = path === 'reviewCount' ? 'reviews' : 'rating'
    expect(partsOf(body, part)).toEqual([expected])
  })

  it.each<readonly [string, string, string | undefined, string]>([
    ['a button', '<button>Add to cart</button>', 'InStock', 'shown Add to cart'],
    ['a count', '<p>34 in stock</p>', 'InStock', 'shown 34 in stock'],
    ['words', '<p>Derzeit nicht verfügbar</p>', 'OutOfStock', 'shown Derzeit nicht verfügbar'],
    ['a price alone', '<p class=price>€ 5</p>', 'InStock', 'nothing says that it is out of stock'],
    ['words of a language', '<p>Нет на складе</p>', 'OutOfStock', 'shown Нет на складе'],
    ['words, and a price', '<p class=price>€ 5</p><p>Sold out</p>', 'OutOfStock', 'shown Sold out'],
    ['a disabled button', '<button disabled>Add to cart</button>', undefined, ''],
  ])('says whether it is available: %s', (_, body, expected, reason) => {
    const { availability, reasons } = productOf(H1 + body)
    expect(availability).toBe(expected)
    if (expected !== undefined) expect(reasons).toMatchObject({ availability: reason })
  })

  it('has the offer with the address of the page, or else an available one', () => {
    const [other, here] = [
      { url: '/p/other', availability: 'OutOfStock' },
      { availability: 'https://schema.org/InStock' },
    ]
    const offers = (...all: readonly object[]): string =>
      ld({ '@type': 'Product', name: 'Halden', offers: all })
    expect(partsOf(offers(other, here), 'availability')).toEqual(['InStock'])
    expect(partsOf(offers({ ...other, url: SHOP }, here), 'availability')).toEqual(['OutOfStock'])
  })

  it.each<readonly [string, string, string | undefined]>([
    ['a label', '<p><b>SKU:</b> HD-77/2</p>', 'HD-77/2'],
    [
      'a label in a cell',
      '<table><tr><th>Artikelnummer</th><td>10 442</td></tr></table>',
      '10 442',
    ],
    [
      'the address, if the page repeats it',
      '<i data-id=4471902></i><i data-id=4471902></i><a href="/c?p=4471902">x</a>',
      '4471902',
    ],
    ['nothing, if the page does not', '', undefined],
  ])('has a number by %s', (_, body, sku) => {
    expect(partsOf(H1 + body, 'sku')).toEqual([sku])
  })

  it.each<readonly [string, string, string | undefined]>([
    ['a definition', '<dl><dt>Hersteller</dt><dd>Nordlys</dd></dl>', 'Nordlys'],
    ['two words for it', '<p>Make / manufacturer: <b>Nordlys</b></p>', 'Nordlys'],
    ['a word of it and one for something else', '<p>Make / model: <b>Nordlys</b></p>', undefined],
    ['one text', '<li>品牌：北光</li>', '北光'],
    ['the next element', '<span>Brand</span><a href=/b>Nordlys</a>', 'Nordlys'],
    ['no sentence', `<p>Brand: ${'word '.repeat(30)}</p>`, undefined],
  ])('has a brand by its label: %s', (_, body, brand) => {
    expect(partsOf(H1 + body, 'brand')).toEqual([brand])
  })

  it.each<readonly [string, string, string | undefined]>([
    ['above', `<a class="product-brand" href="/n">Nordlys</a>${H1}`, 'Nordlys'],
    ['below', `${H1}<p class="product__vendor">Nordlys</p>`, 'Nordlys'],
    ['with a word for it', `${H1}<p class="brand-name">Brand: Nordlys</p>`, 'Nordlys'],
    ['only a word for it', `${H1}<p class="brand-name">Brand</p>`, undefined],
    ['the bar of the site', `<a class="navbar-brand" href="/">Nordlys</a>${H1}`, undefined],
    ['the site', `<h2 class="brand"><a href="/" rel="home">Nordlys</a></h2>${H1}`, undefined],
    ['a link home', `<a class="brand" href="/">Nordlys</a>${H1}`, undefined],
    ['the heading itself', '<h1 class="brand">Nordlys</h1>', undefined],
    ['a lower heading', `${H1}<h2 class="brand">Nordlys</h2>`, 'Nordlys'],
    ['another product', `${H1}<h2>Related</h2><p class="brand">Other</p>`, undefined],
    ['a story above', `<p class="brand">Other</p><h2>Story</h2>${H1}`, undefined],
    ['with a preposition', `${H1}<p class="vendor">by Nordlys</p>`, 'Nordlys'],
    ['a link to more', `${H1}<a class="brand" href="/n">More from Nordlys</a>`, undefined],
    ['a list of brands', `<a class="brand" href="/b">Our brands</a>${H1}`, undefined],
    ['far below', `${H1}${'<p>Bright.</p>'.repeat(20)}<p class="brand">Other</p>`, undefined],
  ])('has a brand in an element of this name beside its heading: %s', (_, body, brand) => {
    expect(partsOf(body, 'brand')).toEqual([brand])
  })

  it.each<readonly [string, string, number]>([
    [
      'the current one, where the stated one is struck through',
      `${ld({ '@type': 'Product', name: 'Halden desk lamp', offers: { price: 129 } })}${H1}
       <span class="barred">€ 129.00</span><span class="price">€ 99.00</span>`,
      99,
    ],
    [
      'the stated one, where a lower one is shown that replaces nothing',
      `${ld({ '@type': 'Product', name: 'Halden desk lamp', offers: { price: 129 } })}${H1}
       <span class="price">€ 99.00</span>`,
      129,
    ],
    ['in og:price', '<meta property="og:price" content="30,000원~">', 30_000],
    [
      'at the beginning of a description, before a rate',
      `<meta name="description" content="Price: $294. Bright">${H1}<b>$98</b> a month`,
      294,
    ],
    ['near the title, without a heading', '<div>Halden</div><p>from <b>€ 29</b></p>', 29],
    [
      'below what adds to the cart, and in a header with the name',
      `<div id="detail-header">${H1}<div class="add-to-cart"><i class="price">€ 29</i></div></div>`,
      29,
    ],
  ])('has a price: %s', (_, body, price) => {
    expect(partsOf(body, 'price')).toEqual([price])
  })

  it('is absent on a page that shows no product', () => {
    expect(productOf('<p>Words.</p>')).toEqual({ reasons: {} })
  })
})

it('takes what scripts know after what the page shows, and no site as a brand', () => {
  const pageOf = (shown: string, site: string): Page => ({
    url: 'https://shop.example.com/p/1',
    contentType: 'text/html',
    body: new TextEncoder().encode(
      `<meta property="og:site_name" content="${site}"><main><h1>Blue chair</h1>${shown}</main>` +
        '<script>var items=[{name:"Blue chair",price:"90",brandName:"Seats"}]</script>',
    ),
  })
  const readOn = (page: Page) =>
    readProduct(new PageContent(page, { label: 'start', depth: 0, hop: 1 }))
  const shown = '<p class="price">$9.50</p><button>Add to cart</button>'
  expect(readOn(pageOf(shown, 'Chairs'))).toMatchObject({ price: 9.5, brand: 'Seats' })
  expect(readOn(pageOf('', 'The Seats shop'))).toMatchObject({ price: 90, brand: null })
})

describe('the source state', () => {
  const stateOf = (path: string, body: string): Json => {
    const page = {
      url: SHOP,
      contentType: 'text/html',
      body: new TextEncoder().encode(body),
    }
    const fields = { value: { state: path, many: true } }
    const plan = compileRecipe(parseRecipe({ start: { urls: [SHOP] }, extract: { fields } }))
    return plan.process(page, { label: 'start', depth: 0, hop: 1 }).rows[0]?.['value'] ?? null
  }
  it('reads the data of scripts in the page: blocks of JSON, and assignments of data', () => {
    const body = `<script type="application/json" id=__NEXT_DATA__>{"price": 1}</script>
      <script>window.__NUXT__ = {"price": 2, "text": "}\\"{"};</script>
      <script>var initial = [{"price": 3}]; run(initial)</script>
      <script>self["state"]={"price":4}</script>`
    expect(stateOf('$..price', body)).toEqual([1, 2, 3, 4])
  })

  it('reads no code, no other kind of block, and no JSON that breaks off', () => {
    const body = `<script>window.a = {price: a()}</script><script>call({"price": 2})</script>
      <script type="application/ld+json">{"price": 3}</script><script src=x>window.b = {"price": 4}</script>
      <script>window.c = {"price": 5</script><template>{"price": 6}</template>`
    expect(stateOf('$..price', body)).toBeNull()
  })
})
