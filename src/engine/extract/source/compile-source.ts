import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/field-schema.ts'
import { convertJson, convertText } from '../value/convert.ts'
import { compileCss } from './css-source.ts'
import { compileJson, compileJsonLd } from './json-source.ts'
import type { Compiling, Reader } from './place.ts'

/** A source that is written as a text alone: a JSONPath if it begins with `$`, else a CSS selector. */
export function compileShort(text: string, at: string, compiling: Compiling): Reader {
  return text.startsWith('$') ? compileJson({ json: text }, text, at, compiling) : compileCss({ css: text }, text, at, at, compiling)
}

/** Compiles one way to find a value. What is wrong is added to the issues; such a source gives `null`. */
export function compileSource(source: FieldSource, at: string, compiling: Compiling): Reader {
  if (source.css !== undefined) return compileCss(source, source.css, at, `${at}.css`, compiling)
  if (source.json !== undefined) return compileJson(source, source.json, at, compiling)
  if (source.jsonld !== undefined) return compileJsonLd(source, source.jsonld, at, compiling)
  const { as, many } = source
  const listed = (value: Json): Json => (many === true ? (value === null ? [] : [value]) : value)
  if (source.meta !== undefined) {
    const name = source.meta
    return (page) => {
      const content = page.meta(name)
      return listed(content === null ? null : convertText(content, as ?? 'text', page))
    }
  }
  if (source.url === true) return (page) => listed(convertText(page.url, as ?? 'text', page))
  if (source.page !== undefined) {
    const fact = source.page
    return (page) => listed(convertJson(page.facts[fact], as, page))
  }
  const value = source.const ?? null
  return (page) => listed(convertJson(value, as, page))
}
