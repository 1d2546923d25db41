import type { Json } from '../../../kernel/json.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import { mediaOfJson, mediaReference } from '../media/media-reference.ts'
import type { PageContent } from '../page/page-content.ts'
import { parseJson } from '../page/parse-json.ts'
import { collapse } from '../tree/text-content.ts'
import { parseBoolean } from './parse-boolean.ts'
import { parseDate } from './parse-date.ts'
import { parseNumber } from './parse-number.ts'

/** Reads a text as a type; `null` where it is no such value. `html` and `markdown` of a bare text are the text. */
export function convertText(text: string, as: ValueType, page: PageContent): Json {
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
      return parseJson(text) ?? null
    case 'text':
    case 'html':
    case 'markdown':
      return collapse(text)
  }
}

/** Reads a JSON value, such as one of JSON-LD, as a type; without one it stays as it is. */
export function convertJson(value: Json, as: ValueType | undefined, page: PageContent): Json {
  if (as === undefined || as === 'json' || value === null) return value
  if (as === 'media') return mediaOfJson(value, page)
  if (typeof value === 'string') return convertText(value, as, page)
  if (typeof value === 'number') {
    if (as === 'number') return value
    if (as === 'integer') return Number.isSafeInteger(Math.trunc(value)) ? Math.trunc(value) : null
    return convertText(String(value), as, page)
  }
  if (typeof value === 'boolean') return as === 'boolean' ? value : as === 'text' ? String(value) : null
  return as === 'text' ? JSON.stringify(value) : null
}
