import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import { toMarkdown } from '../format/markdown.ts'
import type { PageContent } from '../page/page-content.ts'
import { outerHtml } from '../tree/serialise.ts'
import { rawText, textOf } from '../tree/text-content.ts'
import { convertText } from './convert.ts'

const LINKS = ['href', 'src', 'content', 'data', 'action', 'poster'] as const
const VALUE_OF: Readonly<Record<string, string>> = { meta: 'content', input: 'value', option: 'value', data: 'value', meter: 'value', progress: 'value' }

/** What a field's selector found, as a value. Without `attr` and `as` it is the text; `null` where there is nothing. */
export function readElement(element: Element, attr: string | undefined, as: ValueType | undefined, page: PageContent): Json {
  if (attr !== undefined) {
    const value = attributeOf(element, attr)
    if (value === null) return null
    if (as === 'boolean') return value === '' || value === attr ? true : convertText(value, as, page)
    return as === undefined || as === 'text' ? value : convertText(value, as, page)
  }
  switch (as ?? 'text') {
    case 'html':
      return outerHtml(element)
    case 'markdown':
      return toMarkdown(element, page) || null
    case 'json':
      return convertText(rawText(element), 'json', page)
    case 'url':
      for (const name of LINKS) {
        const value = attributeOf(element, name)
        if (value !== null) return convertText(value, 'url', page)
      }
      return convertText(textOf(element), 'url', page)
    case 'date':
      return convertText(attributeOf(element, 'datetime') ?? machineValue(element) ?? textOf(element), 'date', page)
    case 'number':
    case 'integer':
    case 'boolean':
      return convertText(machineValue(element) ?? textOf(element), as ?? 'text', page)
    default:
      return readText(element) || null
  }
}

/** The text of an element, or the content of one that has none by nature. */
function readText(element: Element): string {
  if (element.name === 'script' || element.name === 'style' || element.name === 'noscript') return rawText(element).trim()
  if (element.name === 'meta' || element.name === 'input') return machineValue(element)?.trim() ?? ''
  return textOf(element)
}

/** What a page writes for machines: `<data value>`, `<meta content>`, `itemprop` with `content`. */
function machineValue(element: Element): string | null {
  const name = VALUE_OF[element.name] ?? 'content'
  return attributeOf(element, name)
}

function attributeOf(element: Element, name: string): string | null {
  return Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? null) : null
}
