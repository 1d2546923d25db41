import type { Json } from '../../../kernel/json.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import { mediaOfJson, mediaReference } from '../media.ts'
import type { PageContent } from '../page/page-content.ts'
import { makeJson, parsePageJson } from '../page/parse-json.ts'
import { collapse } from '../tree/text-content.ts'
import { DATE_TEXT, parseDate } from './parse-date.ts'
import { NUMBER_TEXT, parseNumber } from './parse-number.ts'

/** Steps to convert a text, however short. */
const TEXT_STEPS = 8

/**
 * Converts a text to a type, or returns `null` if it does not have that type. For plain text,
 * `html` and `markdown` return the text.
 */
export function convertText(text: string, as: ValueType, page: PageContent): Json {
  page.budget.work(TEXT_STEPS + (text.length >> 2))
  const value = readAs(text, as, page)
  const most = MOST_TEXT[as]
  if (value === null && most !== undefined && text.length > most)
    page.budget.cut(`characters to find a ${as} in`, most)
  return value
}

/** Maximum characters to search. The rest is ignored. */
const MOST_TEXT: { readonly [as in ValueType]?: number } = {
  number: NUMBER_TEXT,
  integer: NUMBER_TEXT,
  date: DATE_TEXT,
}

function readAs(text: string, as: ValueType, page: PageContent): Json {
  switch (as) {
    case 'number':
      return parseNumber(text)
    case 'integer': {
      const value = parseNumber(text)
      return value === null || !Number.isSafeInteger(Math.trunc(value)) ? null : Math.trunc(value)
    }
    case 'boolean':
      return parseBoolean(text)
    case 'date':
      return parseDate(text)
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

/** Converts a JSON value, such as one of JSON-LD, to a type. Without a type it stays unchanged. */
export function convertJson(value: Json, as: ValueType | undefined, page: PageContent): Json {
  if (as === undefined || as === 'json' || value === null) return counted(value, page)
  if (as === 'media') return mediaOfJson(value, page)
  if (typeof value === 'string') return convertText(value, as, page)
  if (typeof value === 'number') {
    if (as === 'number') return value
    if (as === 'integer') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null
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
