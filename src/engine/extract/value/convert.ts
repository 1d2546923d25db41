import type { Json } from '../../../kernel/json.ts'
import { typeOfReading } from '../../recipe/field-schema.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import type { ValueFormat, ValueReading } from '../../recipe/recipe-input.ts'
import { mediaOfJson, mediaReference } from '../media.ts'
import type { PageContent } from '../page/page-content.ts'
import type { Parts } from '../page/in-turns.ts'
import { makeJson, makeJsonParts, parsePageJson } from '../page/parse-json.ts'
import { collapse } from '../tree/text-content.ts'
import { DATE_TEXT, readDate } from './parse-date.ts'
import type { NumberFormat } from './number-format.ts'
import { SIGNS_TEXT } from './number-signs.ts'
import { NUMBER_TEXT, readNumber } from './parse-number.ts'

/** Steps to convert a text, however short. */
const TEXT_STEPS = 8
/** Steps to look for a date in a character. */
const DATE_STEPS = 16

/**
 * Converts a text to a type, or returns `null` if it does not have that type. For plain text,
 * `html` and `markdown` return the text. `isForPeople`: true if it is written in the format of the
 * page's language; false for a machine-readable text. A number or date that can be read in two ways
 * is `null`, and the page's budget records it.
 */
export function convertText(
  text: string,
  as: ValueReading,
  page: PageContent,
  isForPeople = false,
): Json {
  const type = typeOfReading(as)
  page.budget.work(TEXT_STEPS + (text.length >> 2))
  if (type === 'date') page.budget.work(DATE_STEPS * Math.min(text.length, DATE_TEXT))
  const value = readAs(text, as, page, isForPeople)
  const most = MOST_TEXT[type]
  if (value === null && most !== undefined && text.length > most)
    page.budget.cut(`characters to find a ${type} in`, most)
  return value
}

/** A reading without a format. */
const PLAIN: ValueFormat = {}

/** Maximum characters to search. The rest is ignored. */
const MOST_TEXT: { readonly [as in ValueType]?: number } = {
  number: NUMBER_TEXT,
  integer: NUMBER_TEXT,
  date: DATE_TEXT,
}

function readAs(text: string, as: ValueReading, page: PageContent, isForPeople: boolean): Json {
  const type = typeOfReading(as)
  const { number, integer, date } = typeof as === 'string' ? PLAIN : as
  switch (type) {
    case 'number':
      return numberIn(text, page, isForPeople, number)
    case 'integer': {
      const value = numberIn(text, page, isForPeople, integer)
      return value === null || !Number.isSafeInteger(Math.trunc(value)) ? null : Math.trunc(value)
    }
    case 'boolean':
      return parseBoolean(text)
    case 'date': {
      const language = isForPeople ? page.language : null
      const read = readDate(text, { ...date, language, now: page.visitedAt })
      if (read.isUnclear) page.budget.note(text)
      return read.value
    }
    case 'url':
      return text.trim() === '' ? null : page.resolve(text)
    case 'media':
      return mediaReference(text, page)
    case 'json':
      page.budget.make(text.length)
      return parsePageJson(text, page.budget) ?? null
    case 'text':
    case 'html':
    case 'markdown':
      return collapse(text)
  }
}

/**
 * Reads a number. If its text can be read in two ways, the other numbers of its column decide, then
 * the page's language, then the page's other numbers and words. Without any of these it is `null`.
 */
function numberIn(
  text: string,
  page: PageContent,
  isForPeople: boolean,
  format: NumberFormat | undefined,
): number | null {
  const { numbers, budget } = page
  if (format?.decimal !== undefined) {
    const read = readNumber(text, { ...format, language: page.language })
    if (read.isUnclear) budget.note(text)
    return read.value
  }
  const column = budget.where
  const shown = numbers.shownIn(column)
  const [own] = shown
  const beside = shown.size === 1 && own !== undefined ? { seen: own } : {}
  const read = readNumber(text, isForPeople ? { ...beside, language: page.language } : beside)
  if (read.mayBeUnit) {
    budget.note(text)
    return null
  }
  // Machines write a point before the fraction, and no separators of groups.
  if (!isForPeople && !text.includes(',') && read.value !== null) return read.value
  if (!read.isUnclear || shown.size > 0) numbers.note(column, read, false)
  if (!read.isUnclear) return read.value
  if (shown.size === 0) {
    const again = readNumber(text, formatElsewhere(page, isForPeople))
    numbers.note(column, again, true)
    if (!again.isUnclear) return again.value
  }
  budget.note(text)
  return null
}

/** The format of the page's numbers, as far as it is known without the number's column. */
function formatElsewhere(page: PageContent, isForPeople: boolean): NumberFormat {
  const { language, numbers, budget } = page
  if (!isForPeople && language !== null) return { language }
  const { elsewhere } = numbers
  if (elsewhere !== undefined) return { seen: elsewhere }
  budget.work(Math.min(page.readable.length, SIGNS_TEXT) >> 2)
  return numbers.around ?? {}
}

/** True if a text can be read as two numbers or dates. The rest of the page is not considered. */
export function isUnclear(text: string, as: ValueReading, language: string | null): boolean {
  const { number, integer, date } = typeof as === 'string' ? PLAIN : as
  switch (typeOfReading(as)) {
    case 'number':
    case 'integer':
      return readNumber(text, { ...number, ...integer, language }).isUnclear
    case 'date':
      return readDate(text, { ...date, language }).isUnclear
    default:
      return false
  }
}

/**
 * Converts a JSON value, such as one of JSON-LD, to a type. Without a type it stays unchanged.
 * `isForPeople`: as for {@link convertText}.
 */
export function convertJson(
  value: Json,
  as: ValueReading | undefined,
  page: PageContent,
  isForPeople = false,
): Json {
  if (as === undefined || as === 'json' || value === null) return counted(value, page)
  if (as === 'media') return mediaOfJson(value, page)
  if (typeof value === 'string') return convertText(value, as, page, isForPeople)
  if (typeof value === 'number') {
    const type = typeOfReading(as)
    if (type === 'number') return value
    if (type === 'integer')
      return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null
    return convertText(String(value), as, page)
  }
  if (typeof value === 'boolean')
    return as === 'boolean' ? value : as === 'text' ? String(value) : null
  return as === 'text' ? JSON.stringify(counted(value, page)) : null
}

/** Like {@link convertJson} in parts, of which a list or an object takes many. */
export function* convertJsonParts(
  value: Json,
  as: ValueReading | undefined,
  page: PageContent,
): Parts<Json> {
  const isWhole = as === undefined || as === 'json'
  if (!isWhole || typeof value !== 'object' || value === null) return convertJson(value, as, page)
  yield* makeJsonParts(value, page.budget)
  return value
}

/**
 * Pays for the size of a value. A part of a document is paid for at each match, because it is
 * written each time.
 */
function counted(value: Json, { budget }: PageContent): Json {
  if (typeof value === 'object') makeJson(value, budget)
  return value
}

/** False for `null` and for the empty list of `many`. */
export function hasValue(value: Json | undefined): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

const TRUE = new Set(['true', 'yes', 'y', '1', 'on', 'checked', 'in stock', 'instock', 'available'])
const FALSE = new Set([
  'false',
  'no',
  'n',
  '0',
  'off',
  'out of stock',
  'outofstock',
  'sold out',
  'soldout',
  'unavailable',
])

/**
 * Reads `true`, `yes`, `1`, `on`, `in stock` and their opposites, also as schema.org URLs. Returns
 * `null` for anything else.
 */
function parseBoolean(text: string): boolean | null {
  const word = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\/schema\.org\//, '')
    .replace(/[.!]$/, '')
  return TRUE.has(word) ? true : FALSE.has(word) ? false : null
}
