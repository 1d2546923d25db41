import { isText } from 'domhandler'
import type { Element } from 'domhandler'
import { isList, isObject } from '../../../kernel/json.ts'
import type { Json, JsonObject } from '../../../kernel/json.ts'
import { atOnce, QuickPass, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import type { ProductPart } from '../../recipe/source-parts.ts'
import { codeParts } from './product-code.ts'
import { eachObject, listOf, plainText, productParts, valuesAt } from './product-data.ts'
import { brandBesideHeading, labelledParts } from './product-labels.ts'
import { seenParts, type SeenProduct } from './product-seen.ts'
import {
  countIn,
  currencyIn,
  labelledPrice,
  priceIn,
  ratingIn,
  stockParts,
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
/** Steps of a heading, and to read a value, that nobody pays for. */
const HEADING_STEPS = 20
const READ_STEPS = 40

const products = new WeakMap<PageContent, Product>()

/**
 * Reads the product that a page is about, from its JSON-LD, microdata, meta elements, the state
 * that scripts left in it, and what it shows. Data for machines comes first. The result is stored
 * with the page.
 */
export function readProduct(page: PageContent): Product {
  return products.get(page) ?? atOnce(productOfPage(page))
}

/** Like {@link readProduct} in parts. */
export function* productOfPage(page: PageContent): Parts<Product> {
  const present = products.get(page)
  if (present !== undefined) return present
  const product = page.kind === 'html' ? yield* merge(page) : EMPTY
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

function* merge(page: PageContent): Parts<Product> {
  const { budget } = page
  const first = (
    descriptions: readonly Description[],
    paths: readonly string[],
    read: (value: Json) => Json,
  ): Parts<Found | null> => firstParts(descriptions, paths, read, budget)
  yield* page.readMeta()
  const heading = yield* headingParts(page)
  const shown = heading === null ? null : textStart(heading, 300, page.budget)
  const names = [shown, page.meta('og:title')].filter((name) => name !== null)
  const stated = yield* describedBy(page, names)
  const name =
    (yield* first(stated, PATHS.name, plainText)) ??
    metaOf(page, ['og:title']) ??
    (shown === null || shown === '' ? null : ([shown, 'heading'] as const))
  const state = yield* inState(page, [
    ...names,
    ...(typeof name?.[0] === 'string' ? [name[0]] : []),
  ])
  const seen = yield* seenParts(page, heading)
  const labelled = yield* labelledParts(page)
  const label = (kind: 'sku' | 'mpn' | 'gtin' | 'brand'): Found | null => {
    const labelledValue = labelled.get(kind)
    return labelledValue === undefined
      ? null
      : [labelledValue.value, `label ${labelledValue.label}`]
  }
  const currency =
    (yield* first(stated, PATHS.currency, plainText)) ??
    metaOf(page, ['product:price:currency', 'og:price:currency', 'product:sale_price:currency']) ??
    (yield* first(state, STATE_PATHS.currency, plainText))
  const money = (value: Json): Json =>
    priceIn(value, currency === null ? null : String(currency[0]))
  const statedPrice =
    (yield* first(stated, PATHS.price, money)) ??
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
    (seen.price === null ? yield* first(state, STATE_PATHS.price, money) : null) ??
    metaOf(page, ['og:description', 'description'], labelledPrice)
  const price = currentPrice(statedPrice, seen)
  const sku =
    (yield* first(stated, PATHS.sku, plainText)) ??
    metaOf(page, ['product:retailer_item_id', 'product:sku', 'sku']) ??
    label('sku') ??
    (yield* first(state, STATE_PATHS.sku, plainText)) ??
    (seen.sku === null ? null : ([seen.sku, 'shown as sku'] as const)) ??
    (yield* codeParts(page)) ??
    label('mpn') ??
    (yield* first(stated, PATHS.mpn, plainText))
  const parts: Record<Exclude<ProductPart, 'reasons'>, Found | null> = {
    name,
    price,
    currency: currency ?? (price?.[1].startsWith('shown') === true ? shownCurrency(seen) : null),
    availability: yield* stockOf(page, stated, state, seen, price !== null || sku !== null),
    sku,
    mpn:
      (yield* first(stated, PATHS.mpn, plainText)) ??
      (yield* first(state, STATE_PATHS.mpn, plainText)) ??
      label('mpn'),
    gtin:
      (yield* first(stated, PATHS.gtin, plainText)) ??
      metaOf(page, ['product:ean', 'product:upc', 'product:isbn']) ??
      (yield* first(state, STATE_PATHS.gtin, plainText)) ??
      label('gtin'),
    brand:
      (yield* first(stated, PATHS.brand, brandName)) ??
      metaOf(page, ['product:brand', 'og:brand', 'brand']) ??
      (yield* first(state, STATE_PATHS.brand, (value) => brandBeside(page, value))) ??
      label('brand') ??
      shownBrand(page, heading),
    rating: yield* first(stated, PATHS.rating, ratingIn),
    reviews: yield* first(stated, PATHS.reviews, countIn),
    description:
      (yield* first(stated, PATHS.description, plainText)) ??
      metaOf(page, ['og:description', 'description']),
    image:
      (yield* first(stated, PATHS.image, (value) => address(page, value))) ??
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
export function* headingParts(page: PageContent): Parts<Element | null> {
  const { budget } = page
  const { elements } = page.tree
  const pass = new QuickPass(budget)
  const parts = new StepParts(budget)
  for (const element of elements) {
    if (pass.ends()) yield
    if (element.name !== 'h1') continue
    if (parts.ends()) yield
    if (textStart(element, 1, budget) !== '') return element
  }
  const title = folded(page.meta('og:title') ?? titleElementOf(page), budget)
  if (title === '') return null
  budget.workAhead(10 * elements.length)
  let longest: Element | null = null
  let length = LEAST_HEADING
  for (const element of elements) {
    budget.did(10)
    if (parts.ends()) yield
    const [text, ...others] = element.children.slice(0, 2)
    if (text === undefined || !isText(text) || others.length > 0 || NO_HEADING.has(element.name))
      continue
    if (text.data.length > LONGEST_HEADING) continue
    budget.unpaid(HEADING_STEPS)
    const own = folded(text.data, budget)
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
function* describedBy(page: PageContent, names: readonly string[]): Parts<Description[]> {
  const { budget } = page
  const foldedNames = names.map((name) => folded(name, budget))
  yield* page.readData()
  yield* page.readMicrodata()
  const sources: readonly (readonly [string, readonly Json[]])[] = [
    ['JSON-LD', page.data],
    ['microdata', page.microdata.filter(({ isTop }) => isTop).map(({ value }) => value)],
  ]
  const described: Description[] = []
  for (const [source, documents] of sources) {
    const object = yield* bestProduct(documents, foldedNames, budget)
    if (object !== null) described.push({ source, object })
  }
  return described
}

/** The product that is most likely the page's. `names`: folded ones. */
function* bestProduct(
  documents: readonly Json[],
  names: readonly string[],
  budget: PageBudget,
): Parts<JsonObject | null> {
  const all: JsonObject[] = []
  for (const document of documents) {
    yield
    for (const product of yield* productParts(document, budget)) all.push(product)
  }
  let best: JsonObject | null = null
  let most = -Infinity
  const parts = new StepParts(budget)
  for (const [index, object] of all.entries()) {
    if (parts.ends()) yield
    const score =
      (isNamed(object, names, budget) ? 4 : 0) +
      (Object.hasOwn(object, 'offers') ? 2 : 0) -
      index / 1e3
    if (score > most) [best, most] = [object, score]
  }
  // If a page has several products and none has the page's name, none of them is the page's
  // product.
  return all.length > 3 && most < 3 ? null : best
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
function* inState(page: PageContent, names: readonly string[]): Parts<Description[]> {
  const { budget } = page
  let best: JsonObject | null = null
  let most = 0
  const lists = Object.values(STATE_PATHS)
  const foldedNames = names.map((name) => folded(name, budget))
  yield* page.readState()
  const named: JsonObject[] = []
  const parts = new StepParts(budget)
  for (const document of page.state) {
    yield* eachObject(document, budget, (object) => {
      if (isNamed(object, foldedNames, budget)) named.push(object)
    })
    for (const object of named.splice(0)) {
      if (parts.ends()) yield
      budget.work(RANK_STEPS)
      let score = 0
      for (const paths of lists) if (yield* hasValueAt(object, paths, budget)) score++
      if (score > most) [best, most] = [object, score]
    }
  }
  return best === null ? [] : [{ source: 'state', object: best }]
}

function* hasValueAt(
  object: JsonObject,
  paths: readonly string[],
  budget: PageBudget,
): Parts<boolean> {
  for (const path of paths) if ((yield* valuesAt(object, path, budget)).length > 0) return true
  return false
}

/** Returns the first value at one of the paths that can be read. Members of a list count one by one. */
function* firstParts(
  descriptions: readonly Description[],
  paths: readonly string[],
  read: (value: Json) => Json,
  budget: PageBudget,
): Parts<Found | null> {
  const parts = new StepParts(budget)
  for (const { source, object } of descriptions)
    for (const path of paths)
      for (const value of yield* valuesAt(object, path, budget)) {
        budget.unpaid(READ_STEPS)
        if (parts.ends()) yield
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

function shownBrand(page: PageContent, heading: Element | null): Found | null {
  const text = heading === null ? null : brandBesideHeading(page, heading)
  const brand = text === null ? null : brandBeside(page, text)
  return brand === null ? null : [brand, 'shown beside the heading']
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

function* stockOf(
  page: PageContent,
  stated: readonly Description[],
  state: readonly Description[],
  seen: SeenProduct,
  isOffered: boolean,
): Parts<Found | null> {
  for (const { source, object } of stated) {
    const read = yield* stockParts(object, page.url, page.budget)
    if (read !== null) return [read, `${source} offers.availability`]
  }
  return (
    metaOf(page, ['product:availability', 'og:availability'], stockTerm) ??
    (yield* firstParts(state, STATE_PATHS.availability, stockTerm, page.budget)) ??
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
