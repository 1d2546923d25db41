import { isText } from 'domhandler'
import type { Element } from 'domhandler'
import { isList, isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import type { ProductPart } from '../../recipe/source-parts.ts'
import { codeInAddress } from './product-code.ts'
import { eachObject, listOf, plainText, productsIn, valuesAt } from './product-data.ts'
import { labelledValues } from './product-labels.ts'
import { seenProduct, type SeenProduct } from './product-seen.ts'
import {
  countIn,
  currencyIn,
  labelledPrice,
  priceIn,
  ratingIn,
  stockIn,
  stockTerm,
} from './product-terms.ts'

/** Facts that a page states about its product. `reasons`: where the value of each part comes from. */
export type Product = { readonly [part in ProductPart]: Json } & {
  /** An ambiguous text of a price, if there is no other price. */
  readonly unclearPrice: string | null
}

/** A value with its origin. */
type Found = readonly [value: Json, reason: string]

/** One part of a page that describes the product, such as its JSON-LD. */
interface Description {
  readonly source: string
  readonly object: JsonObject
}

/** The paths of each part in schema.org. */
const PATHS = {
  name: ['name'],
  currency: [
    'offers.priceCurrency',
    'offers.priceSpecification.priceCurrency',
    'offers.offers.priceCurrency',
    'hasVariant.offers.priceCurrency',
    'priceCurrency',
  ],
  price: [
    'offers.price',
    'offers.lowPrice',
    'offers.priceSpecification.price',
    'offers.offers.price',
    'hasVariant.offers.price',
    'price',
  ],
  sku: ['sku', 'productID', 'productId', 'offers.sku'],
  mpn: ['mpn', 'offers.mpn'],
  gtin: ['gtin13', 'gtin', 'gtin8', 'gtin12', 'gtin14', 'isbn', 'offers.gtin13', 'offers.gtin'],
  brand: ['brand.name', 'brand', 'manufacturer.name', 'manufacturer'],
  rating: ['aggregateRating.ratingValue'],
  reviews: ['aggregateRating.reviewCount', 'aggregateRating.ratingCount'],
  description: ['description'],
  image: ['image.url', 'image.contentUrl', 'image'],
} as const

/** The paths of each part in shops' scripts. */
const STATE_PATHS = {
  price: [
    'currentPrice',
    'salePrice',
    'finalPrice',
    'sellingPrice',
    'price.current',
    'price.value',
    'price.amount',
    'price.sale',
    'price.final',
    'price',
  ],
  currency: ['currency', 'currencyCode', 'price.currency', 'price.currencyCode', 'priceCurrency'],
  sku: ['sku', 'skuId', 'productCode', 'articleNumber', 'itemNumber', 'productNumber'],
  brand: [
    'brand.name',
    'brandName',
    'brand.title',
    'brand',
    'manufacturer.name',
    'manufacturer',
    'vendor',
  ],
  gtin: ['gtin13', 'gtin', 'ean', 'upc', 'barcode'],
  mpn: ['mpn'],
  availability: ['availability', 'stockStatus', 'inStock', 'isInStock', 'isAvailable', 'available'],
} as const

const NO_HEADING = new Set(['title', 'script', 'style', 'option', 'noscript', 'textarea'])
const LONGEST_HEADING = 300
const LEAST_HEADING = 3
/** Steps to normalise a name, besides two for each letter, and to look for all parts in an object. */
const FOLD_STEPS = 8
const RANK_STEPS = 200

const products = new WeakMap<PageContent, Product>()

/**
 * Reads the product that a page is about, from its JSON-LD, microdata, meta elements, the state
 * that scripts left in it, and what it shows. Data for machines comes first. The result is stored
 * with the page.
 */
export function readProduct(page: PageContent): Product {
  const present = products.get(page)
  if (present !== undefined) return present
  const product = page.kind === 'html' ? merge(page) : EMPTY
  products.set(page, product)
  return product
}

const EMPTY: Product = {
  name: null,
  price: null,
  currency: null,
  availability: null,
  sku: null,
  mpn: null,
  gtin: null,
  brand: null,
  rating: null,
  reviews: null,
  description: null,
  image: null,
  reasons: {},
  unclearPrice: null,
}

function merge(page: PageContent): Product {
  const heading = headingOf(page)
  const shown = heading === null ? null : textStart(heading, 300, page.budget)
  const names = [shown, page.meta('og:title')].filter((name) => name !== null)
  const stated = describedBy(page, names)
  const name =
    first(stated, PATHS.name, plainText) ??
    metaOf(page, ['og:title']) ??
    (shown === null || shown === '' ? null : ([shown, 'heading'] as const))
  const state = inState(page, [...names, ...(typeof name?.[0] === 'string' ? [name[0]] : [])])
  const seen = seenProduct(page, heading)
  const labelled = labelledValues(page)
  const label = (kind: 'sku' | 'mpn' | 'gtin' | 'brand'): Found | null => {
    const labelledValue = labelled.get(kind)
    return labelledValue === undefined
      ? null
      : [labelledValue.value, `label ${labelledValue.label}`]
  }
  const currency =
    first(stated, PATHS.currency, plainText) ??
    metaOf(page, ['product:price:currency', 'og:price:currency', 'product:sale_price:currency']) ??
    first(state, STATE_PATHS.currency, plainText)
  const money = (value: Json): Json =>
    priceIn(value, currency === null ? null : String(currency[0]))
  const statedPrice =
    first(stated, PATHS.price, money) ??
    metaOf(
      page,
      [
        'product:sale_price:amount',
        'product:price:amount',
        'og:price:amount',
        'product:price',
        'og:price',
        'price',
      ],
      money,
    ) ??
    // A price in scripts may be that of a set, while the shown price is that of a single item.
    (seen.price === null ? first(state, STATE_PATHS.price, money) : null) ??
    metaOf(page, ['og:description', 'description'], labelledPrice)
  const price = currentPrice(statedPrice, seen)
  const sku =
    first(stated, PATHS.sku, plainText) ??
    metaOf(page, ['product:retailer_item_id', 'product:sku', 'sku']) ??
    label('sku') ??
    first(state, STATE_PATHS.sku, plainText) ??
    (seen.sku === null ? null : ([seen.sku, 'shown as sku'] as const)) ??
    codeInAddress(page) ??
    label('mpn') ??
    first(stated, PATHS.mpn, plainText)
  const parts: Record<Exclude<ProductPart, 'reasons'>, Found | null> = {
    name,
    price,
    currency: currency ?? (price?.[1].startsWith('shown') === true ? shownCurrency(seen) : null),
    availability: stockOf(page, stated, state, seen, price !== null || sku !== null),
    sku,
    mpn:
      first(stated, PATHS.mpn, plainText) ??
      first(state, STATE_PATHS.mpn, plainText) ??
      label('mpn'),
    gtin:
      first(stated, PATHS.gtin, plainText) ??
      metaOf(page, ['product:ean', 'product:upc', 'product:isbn']) ??
      first(state, STATE_PATHS.gtin, plainText) ??
      label('gtin'),
    brand:
      first(stated, PATHS.brand, brandName) ??
      metaOf(page, ['product:brand', 'og:brand', 'brand']) ??
      first(state, STATE_PATHS.brand, (value) => brandBeside(page, value)) ??
      label('brand'),
    rating: first(stated, PATHS.rating, ratingIn),
    reviews: first(stated, PATHS.reviews, countIn),
    description:
      first(stated, PATHS.description, plainText) ??
      metaOf(page, ['og:description', 'description']),
    image:
      first(stated, PATHS.image, (value) => address(page, value)) ??
      metaOf(page, ['og:image'], (value) => address(page, value)),
  }
  const values = Object.entries(parts)
  return {
    ...EMPTY,
    ...Object.fromEntries(values.map(([part, read]) => [part, read?.[0] ?? null])),
    reasons: Object.fromEntries(
      values.flatMap(([part, read]) => (read === null ? [] : [[part, read[1]]])),
    ),
    unclearPrice: price === null ? seen.unclearPrice : null,
  }
}

/** The stated price, unless the page shows it as an earlier one beside a lower one. */
function currentPrice(
  stated: Found | null,
  { price, priceText, earlier }: SeenProduct,
): Found | null {
  const isEarlier =
    price !== null && typeof stated?.[0] === 'number' && price < stated[0] && earlier.has(stated[0])
  if (stated !== null && !isEarlier) return stated
  return price === null ? null : [price, `shown ${priceText}`]
}

/** The page's first `h1` with a text. Without one, the element that shows most of its title. */
function headingOf(page: PageContent): Element | null {
  const { elements } = page.tree
  const heading = elements.find(
    (element) => element.name === 'h1' && textStart(element, 1, page.budget) !== '',
  )
  if (heading !== undefined) return heading
  const title = folded(page.meta('og:title') ?? titleElementOf(page), page.budget)
  if (title === '') return null
  page.budget.work(10 * elements.length)
  let longest: Element | null = null
  let length = LEAST_HEADING
  for (const element of elements) {
    const [text, ...others] = element.children
    if (text === undefined || !isText(text) || others.length > 0 || NO_HEADING.has(element.name))
      continue
    if (text.data.length > LONGEST_HEADING) continue
    const own = folded(text.data, page.budget)
    // The rest of a title is the name of the site.
    if (own.length > length && (title.startsWith(own) || title.endsWith(own)))
      [longest, length] = [element, own.length]
  }
  return longest
}

function titleElementOf({ tree, budget }: PageContent): string {
  const title = tree.elements.find(({ name }) => name === 'title')
  return title === undefined ? '' : textStart(title, LONGEST_HEADING, budget)
}

/** The machine-readable descriptions of the product, the most trusted first. */
function describedBy(page: PageContent, names: readonly string[]): Description[] {
  const { budget } = page
  const foldedNames = names.map((name) => folded(name, budget))
  const sources: readonly (readonly [string, readonly Json[]])[] = [
    ['JSON-LD', page.data],
    ['microdata', page.microdata.filter(({ isTop }) => isTop).map(({ value }) => value)],
  ]
  return sources.flatMap(([source, documents]) => {
    const all = documents.flatMap((document) => productsIn(document, budget))
    const scored = all.map((object, index) => ({
      object,
      score:
        (isNamed(object, foldedNames, budget) ? 4 : 0) +
        (Object.hasOwn(object, 'offers') ? 2 : 0) -
        index / 1e3,
    }))
    const best = scored.toSorted((a, b) => b.score - a.score)[0]
    // If a page has several products and none has the page's name, none of them is the page's
    // product.
    return best === undefined || (all.length > 3 && best.score < 3)
      ? []
      : [{ source, object: best.object }]
  })
}

/** `names`: folded ones. */
function isNamed(object: JsonObject, names: readonly string[], budget: PageBudget): boolean {
  const name = plainText(object['name'] ?? object['title'] ?? object['productName'])
  if (name === null) return false
  const own = folded(name, budget)
  return own !== '' && names.some((label) => label.startsWith(own) || own.startsWith(label))
}

/** Only letters and numbers, for the comparison of names. */
function folded(text: string, budget: PageBudget): string {
  const start = text.slice(0, LONGEST_HEADING)
  budget.work(FOLD_STEPS + 2 * start.length)
  return (
    start
      .normalize('NFKC')
      // One letter may become eighteen.
      .slice(0, LONGEST_HEADING)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
  )
}

/** The object of the page's state that has the product's name, and a price or a code. */
function inState(page: PageContent, names: readonly string[]): Description[] {
  let best: JsonObject | null = null
  let most = 0
  const parts = Object.values(STATE_PATHS)
  const foldedNames = names.map((name) => folded(name, page.budget))
  for (const document of page.state)
    eachObject(document, page.budget, (object) => {
      if (!isNamed(object, foldedNames, page.budget)) return
      page.budget.work(RANK_STEPS)
      const score = parts.filter((paths) =>
        paths.some((path) => valuesAt(object, path).length > 0),
      ).length
      if (score > most) [best, most] = [object, score]
    })
  return best === null ? [] : [{ source: 'state', object: best }]
}

/** Returns the first value at one of the paths that can be read. Members of a list count one by one. */
function first(
  descriptions: readonly Description[],
  paths: readonly string[],
  read: (value: Json) => Json,
): Found | null {
  for (const { source, object } of descriptions)
    for (const path of paths)
      for (const value of valuesAt(object, path)) {
        const result = read(value)
        if (result !== null) return [result, `${source} ${path}`]
      }
  return null
}

/**
 * A brand that is not the name of the site. Scripts of some sites state the site's name as the
 * brand of all products.
 */
function brandBeside(page: PageContent, value: Json): string | null {
  const brand = brandName(value)
  const site = ` ${folded(page.meta('og:site_name') ?? '', page.budget)} `
  return brand === null || site.includes(` ${folded(brand, page.budget)} `) ? null : brand
}

function metaOf(
  page: PageContent,
  names: readonly string[],
  read: (value: Json) => Json = plainText,
): Found | null {
  for (const name of names) {
    const value = read(page.meta(name))
    if (value !== null) return [value, `meta ${name}`]
  }
  return null
}

function stockOf(
  page: PageContent,
  stated: readonly Description[],
  state: readonly Description[],
  seen: SeenProduct,
  isOffered: boolean,
): Found | null {
  for (const { source, object } of stated) {
    const read = stockIn(object, page.url)
    if (read !== null) return [read, `${source} offers.availability`]
  }
  return (
    metaOf(page, ['product:availability', 'og:availability'], stockTerm) ??
    first(state, STATE_PATHS.availability, stockTerm) ??
    shownStock(seen, isOffered)
  )
}

function shownStock({ buy, there, gone }: SeenProduct, isOffered: boolean): Found | null {
  const offered = buy ?? there
  if (offered !== null) return ['InStock', `shown ${offered}`]
  if (gone !== null) return ['OutOfStock', `shown ${gone}`]
  return isOffered ? ['InStock', 'nothing says that it is out of stock'] : null
}

function shownCurrency({ priceText }: SeenProduct): Found | null {
  const currency = priceText === null ? null : currencyIn(priceText)
  return currency === null ? null : [currency, `shown ${priceText}`]
}

function brandName(value: Json): string | null {
  const text = isObject(value) ? plainText(value['name']) : plainText(value)
  return text === null || /^https?:/i.test(text) || text.length > 80 ? null : text
}

function address(page: PageContent, value: Json): string | null {
  const [item] = listOf(value)
  const text = plainText(isObject(item) && !isList(item) ? (item['url'] ?? null) : item)
  return text === null ? null : page.resolve(text)
}
