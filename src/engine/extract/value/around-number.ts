const CURRENCY_NAME =
  'eur|usd|gbp|jpy|cny|chf|sek|nok|dkk|isk|pln|czk|huf|ron|bgn|rsd|try|tl|brl|r\\$|idr|rp|vnd|đ|kr|kč|ft|zł|' +
  'lei|лв|руб|р|грн|rub|uah|inr|rs|aud|cad|nzd|mxn|clp|cop|ars|pen|zar|r|원|' +
  '円|元|تومان|ریال|ريال'
/** Currencies in the forms that occur beside a minus. */
const SIGNED_CURRENCY =
  'EUR|USD|GBP|JPY|CNY|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|RSD|TRY|TL|BRL|IDR|VND|RUB|UAH|INR|' +
  'AUD|CAD|NZD|MXN|CLP|COP|ARS|PEN|ZAR|KRW|HKD|SGD|ILS|kr\\.?|Kč|zł|Ft|lei|Rs\\.?|Rp|R\\$?'
/** Also `d'euros` and `de dólares`, after a word such as `millions`. */
const CURRENCY_AFTER = new RegExp(
  `^\\s?(?:\\p{Sc}|(?:${CURRENCY_NAME})(?!\\p{L})|(?:d['’]|de\\s)?(?:euros?|d[oó]lares|dollars)(?!\\p{L}))`,
  'iu',
)
/** A currency at the end of the text before a number. */
export const CURRENCY_BEFORE = new RegExp(
  `(?:\\p{Sc}|(?<!\\p{L})(?:${CURRENCY_NAME})\\.?)\\s?$`,
  'iu',
)

/** True if the texts around digits show an amount of money. */
export function isAmount(before: string, after: string): boolean {
  return CURRENCY_AFTER.test(after) || CURRENCY_BEFORE.test(before)
}

/** Signs between a minus and its number: `-$4`, `-US$4`, `-EUR 4`. */
const AFTER_SIGN = `\\s?(?:[^\\w\\s]{0,2}|[A-Z]{1,2}\\p{Sc}|${SIGNED_CURRENCY})\\s?$`
/** A dash between words and a number is a separator: `Price - $30`. */
const PARTING = new RegExp(`[\\p{L})]\\s[-−–]\\s${AFTER_SIGN}`, 'u')
// Japanese has no spaces between words, so a sign directly follows the particle.
const MINUS = new RegExp(
  `(?:^|[\\s(:=$€£¥\\p{Script=Hiragana}]|(?<!\\p{L})(?:${SIGNED_CURRENCY}))[-−–]${AFTER_SIGN}`,
  'u',
)

/** True if the texts around digits make the number negative: `-$4`, `(4)`. */
export function isNegative(before: string, after: string): boolean {
  if (PARTING.test(before)) return false
  if (MINUS.test(before)) return !/\d\s?[-−–]\s?$/.test(before)
  return /\([^\w\s]{0,2}\s?$/.test(before) && /^\s?[^\w\s)]{0,2}\)/.test(after)
}
