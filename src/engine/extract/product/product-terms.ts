import type { Json, JsonObject } from '../../../kernel/json.ts'
import { urlIdentity } from '../../../kernel/url.ts'
import { isObject } from '../../../kernel/json.ts'
import { parseNumber, readNumber } from '../value/parse-number.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { plainText, valuesAt } from './product-data.ts'

/** Currencies with three decimals. */
const THREE_DECIMALS = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

/**
 * Returns a price as a number. In a text, one separator before three digits groups them, because
 * prices have no three decimals. Some currencies have three decimals: with these, a comma before
 * three digits makes the price `null`. A price of 0 is not a price.
 */
export function priceIn(value: Json, currency: string | null): number | null {
  const price = typeof value === 'string' ? priceOfText(value.trim(), currency) : value
  return typeof price === 'number' && Number.isFinite(price) && price > 0 ? price : null
}

function priceOfText(text: string, currency: string | null): number | null {
  if (!THREE_DECIMALS.has(currency?.toUpperCase() ?? ''))
    return parseNumber(text, { isAmount: true })
  if (MACHINE_NUMBER.test(text)) return Number(text)
  const { value, isUnclear } = readNumber(text)
  return isUnclear ? null : value
}

/** Matches numbers as programs write them: with a point before the fraction, and no grouping. */
const MACHINE_NUMBER = /^\d{1,30}(?:\.\d{1,30})?$/

/** A count in a text: it has no fraction, so `1.234` is 1234. */
export function countIn(value: Json): number | null {
  const count = typeof value === 'string' ? parseNumber(value, { isAmount: true }) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}

/** A rating in a text: it is small, so `4,125` is 4.125. */
export function ratingIn(value: Json): number | null {
  if (typeof value !== 'string') return typeof value === 'number' ? value : null
  const { value: rating, isUnclear } = readNumber(value)
  return isUnclear ? parseNumber(value, { decimal: value.includes(',') ? ',' : '.' }) : rating
}

/** `Price: $20`, at the beginning of a description. */
const LABELLED_PRICE = new RegExp(
  String.raw`^[^\p{Script=Latin}\d:：]{0,20}(?:price|preis|prix|precio|preço|prezzo|prijs|pris|hinta|` +
    'cena|ár|цена|ціна|fiyat|giá|價|价|価格|가격|' +
    String.raw`판매가)\s*[:：]\s*([^\d\s]{0,4}\s?\d(?:[\d.,\u00a0 ]{0,13}\d)?)`,
  'iu',
)

/** Returns the price at the beginning of a description, if it is labelled as such. */
export function labelledPrice(value: Json): number | null {
  const amount = typeof value === 'string' ? LABELLED_PRICE.exec(value)?.[1] : undefined
  return amount === undefined ? null : priceIn(amount, null)
}

/** Signs of exactly one currency. */
const CURRENCIES: readonly (readonly [RegExp, string])[] = [
  [/€|\bEUR\b/, 'EUR'],
  [/£|\bGBP\b/, 'GBP'],
  [/\b(?:US\$|USD)/, 'USD'],
  [/\bCHF\b/, 'CHF'],
  [/zł|\bPLN\b/, 'PLN'],
  [/Kč|\bCZK\b/, 'CZK'],
  [/₹|\bINR\b/, 'INR'],
  [/₩|원/, 'KRW'],
  [/₽|руб/, 'RUB'],
  [/₴|грн/, 'UAH'],
  [/₺|\bTL\b/, 'TRY'],
  [/₪/, 'ILS'],
  [/R\$|\bBRL\b/, 'BRL'],
  [/NT\$|\bTWD\b/, 'TWD'],
  [/₫/, 'VND'],
]

/** Returns the currency of a shown price, if its sign belongs to only one currency. */
export function currencyIn(text: string): string | null {
  return CURRENCIES.find(([sign]) => sign.test(text))?.[1] ?? null
}

/** The terms of schema.org's ItemAvailability, by their letters only. */
const TERMS: ReadonlyMap<string, string> = new Map(
  [
    'InStock',
    'OutOfStock',
    'Discontinued',
    'PreOrder',
    'PreSale',
    'BackOrder',
    'InStoreOnly',
    'OnlineOnly',
    'LimitedAvailability',
    'MadeToOrder',
    'Reserved',
  ].map((term) => [term.toLowerCase(), term]),
)
/** Other words for them. */
const WORDS: Readonly<Record<string, string>> = {
  instock: 'InStock',
  available: 'InStock',
  availablefororder: 'InStock',
  true: 'InStock',
  yes: 'InStock',
  oos: 'OutOfStock',
  notinstock: 'OutOfStock',
  unavailable: 'OutOfStock',
  notavailable: 'OutOfStock',
  soldout: 'OutOfStock',
  false: 'OutOfStock',
  no: 'OutOfStock',
  pending: 'PreOrder',
}

/** Returns the schema.org term for a page's statement about stock, such as `InStock`, or `null`. */
export function stockTerm(value: Json): string | null {
  if (typeof value === 'boolean') return value ? 'InStock' : 'OutOfStock'
  const text = plainText(value)
  if (text === null) return null
  const letters = text
    .slice(text.lastIndexOf('/') + 1)
    .slice(0, 100)
    .toLowerCase()
    .replace(/[^a-z]+/g, '')
  return TERMS.get(letters) ?? (Object.hasOwn(WORDS, letters) ? (WORDS[letters] ?? null) : null)
}

/** Steps to read an offer, and to compare its address. Nobody pays for them. */
const OFFER_STEPS = 20
const ADDRESS_STEPS = 80

/**
 * Returns the stock that a description states. If there are several offers, the one with this
 * address counts, else one that is in stock.
 */
export function* stockParts(
  product: JsonObject,
  url: string,
  budget: PageBudget,
): Parts<string | null> {
  const parts = new StepParts(budget)
  const here = urlIdentity(url)
  const all: Terms = { first: null, isInStock: false }
  const own: Terms = { first: null, isInStock: false }
  let hasOwn = false
  for (const path of ['offers', 'offers.offers', 'hasVariant.offers'])
    for (const offer of yield* valuesAt(product, path, budget)) {
      if (!isObject(offer)) continue
      budget.unpaid(OFFER_STEPS)
      if (parts.ends()) yield
      const address = plainText(offer['url'])
      if (address !== null) budget.unpaid(ADDRESS_STEPS)
      const parsed = address === null ? null : URL.parse(address, url)
      const isOwn = parsed !== null && urlIdentity(parsed.href) === here
      hasOwn ||= isOwn
      for (const value of yield* valuesAt(offer, 'availability', budget)) {
        const term = stockTerm(value)
        if (term === null) continue
        note(all, term)
        if (isOwn) note(own, term)
      }
    }
  const { first, isInStock } = hasOwn ? own : all
  return isInStock ? 'InStock' : first
}

/** The terms of some offers. */
interface Terms {
  first: string | null
  isInStock: boolean
}

function note(terms: Terms, term: string): void {
  terms.first ??= term
  terms.isInStock ||= term === 'InStock'
}
