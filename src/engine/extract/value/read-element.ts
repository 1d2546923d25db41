import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { ValueType } from '../../recipe/field-schema.ts'
import { toMarkdown } from '../format/markdown.ts'
import { mediaAddress } from '../media/media-address.ts'
import { mediaReference } from '../media/media-reference.ts'
import type { PageContent } from '../page/page-content.ts'
import { outerHtml } from '../tree/serialise.ts'
import { rawText, textOf } from '../tree/text-content.ts'
import { convertText } from './convert.ts'
import { feedHtml, feedHtmlBody } from './feed-html.ts'

const LINKS = ['href', 'src', 'content', 'data', 'action', 'poster'] as const
const VALUE_OF: Readonly<Record<string, string>> = { meta: 'content', input: 'value', option: 'value', data: 'value', meter: 'value', progress: 'value' }

/** What a field's selector found, as a value. Without `attr` and `as` it is the text; `null` where there is nothing. HTML in a feed is read as HTML. */
export function readElement(element: Element, attr: string | undefined, as: ValueType | undefined, page: PageContent): Json {
  if (as === 'media') {
    const address = mediaAddress(element, attr)
    return address === null ? null : mediaReference(address, page)
  }
  if (attr !== undefined) {
    const value = attributeOf(element, attr)
    if (value === null) return null
    if (as === 'boolean') return value === '' || value === attr ? true : convertText(value, as, page)
    return as === undefined || as === 'text' ? value : convertText(value, as, page)
  }
  const embedded = page.kind === 'xml' && (as === undefined || as === 'text' || as === 'html' || as === 'markdown') ? feedHtml(element, page) : null
  if (embedded !== null) return readEmbedded(embedded, as, page)
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

function readEmbedded(html: string, as: ValueType | undefined, page: PageContent): Json {
  if (as === 'html') return html || null
  const body = feedHtmlBody(html)
  if (body === null) return null
  return (as === 'markdown' ? toMarkdown(body, page) : textOf(body)) || null
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
