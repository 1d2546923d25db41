import type { Json } from '../../../kernel/json.ts'
import { typeOfReading } from '../../recipe/field-schema.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import type { ValueFormat, ValueReading } from '../../recipe/recipe-input.ts'
import { mediaOfJson, mediaReference } from '../media.ts'
import type { PageContent } from '../page/page-content.ts'
import { makeJson, parsePageJson } from '../page/parse-json.ts'
import { collapse } from '../tree/text-content.ts'
import { DATE_TEXT, parseDate, readDate } from './parse-date.ts'
import { NUMBER_TEXT, parseNumber, readNumber } from './parse-number.ts'

/** Steps to convert a text, however short. */
const TEXT_STEPS = 8
/** Steps to look for a date in a character. */
const DATE_STEPS = 16

/**
 * Converts a text to a type, or returns `null` if it does not have that type. For plain text,
 * `html` and `markdown` return the text. `language`: that of a text for people; `null` for a text
 * for machines.
 */
export function convertText(
  text: string,
  as: ValueReading,
  page: PageContent,
  language: string | null = null,
): Json {
  const type = typeOfReading(as)
  page.budget.work(TEXT_STEPS + (text.length >> 2))
  if (type === 'date') page.budget.work(DATE_STEPS * Math.min(text.length, DATE_TEXT))
  const value = readAs(text, as, page, language)
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

function readAs(text: string, as: ValueReading, page: PageContent, language: string | null): Json {
  const type = typeOfReading(as)
  const { number, integer, date } = typeof as === 'string' ? PLAIN : as
  switch (type) {
    case 'number':
      return parseNumber(text, { ...number, language })
    case 'integer': {
      const value = parseNumber(text, { ...integer, language })
      return value === null || !Number.isSafeInteger(Math.trunc(value)) ? null : Math.trunc(value)
    }
    case 'boolean':
      return parseBoolean(text)
    case 'date':
      return parseDate(text, { ...date, language, now: page.visitedAt })
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
 * True if two ways to read a text as a number or a date give different values, and nothing says
 * which is right.
 */
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
 * `language`: as for {@link convertText}.
 */
export function convertJson(
  value: Json,
  as: ValueReading | undefined,
  page: PageContent,
  language: string | null = null,
): Json {
  if (as === undefined || as === 'json' || value === null) return counted(value, page)
  if (as === 'media') return mediaOfJson(value, page)
  if (typeof value === 'string') return convertText(value, as, page, language)
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

/** Pays for the size of a value. A part of a document is written as often as it is found. */
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
