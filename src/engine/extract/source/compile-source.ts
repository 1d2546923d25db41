import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import { productOfPage, readProduct } from '../product/read-product.ts'
import { hasValue, convertJson } from '../value/convert.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { isXPath } from '../../recipe/field-schema.ts'
import { compileCell, compileCss, compileXPath } from './element-source.ts'
import {
  compileDocuments,
  compileJson,
  compileText,
  compileValues,
  readerOfValues,
} from './value-source.ts'
import { compileMicrodata } from './microdata-source.ts'
import type { Compiling, ValueReader } from './reader.ts'
import { defaultOf } from './transform.ts'

/**
 * Compiles a source written as a plain text: a JSONPath if it begins with `$`, an XPath if it
 * begins with `/`, `./` or `(`, else a CSS selector.
 */
export function compileShort(text: string, sourcePath: string, compiling: Compiling): ValueReader {
  if (text.startsWith('$')) return compileJson({ json: text }, text, sourcePath, compiling)
  return isXPath(text)
    ? compileXPath({ xpath: text }, text, sourcePath, sourcePath, compiling)
    : compileCss({ css: text }, text, sourcePath, sourcePath, compiling)
}

/**
 * Compiles one way to find a value. Errors are added to the issues; a source with an error gives
 * `null`.
 */
export function compileSource(
  source: FieldSource,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  const read = compileFinding(source, sourcePath, compiling)
  const value = source.transform === undefined ? undefined : defaultOf(source.transform)
  if (value === undefined) return read
  if (source.many === true)
    compiling.issues.push({
      path: `${sourcePath}.transform`,
      message: 'has a default, but many always gives a list',
    })
  const orDefault = (extracted: Json, page: PageContent): Json => {
    const isFound = hasValue(extracted)
    page.isDefault = !isFound
    return isFound ? extracted : convertJson(value, source.as, page)
  }
  const { parts } = read
  return Object.assign(
    (...of: Parameters<ValueReader>) => orDefault(read(...of), of[0]),
    parts !== undefined && {
      *parts(...of: Parameters<ValueReader>): Parts<Json> {
        return orDefault(yield* parts(...of), of[0])
      },
    },
  )
}

function compileFinding(
  source: FieldSource,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  // A plan is pure, so the model is called later, when the page is known.
  if (source.model !== undefined) return () => null
  if (source.css !== undefined)
    return compileCss(source, source.css, sourcePath, `${sourcePath}.css`, compiling)
  if (source.xpath !== undefined)
    return compileXPath(source, source.xpath, sourcePath, `${sourcePath}.xpath`, compiling)
  if (source.cell !== undefined) return compileCell(source, source.cell, sourcePath, compiling)
  if (source.json !== undefined) return compileJson(source, source.json, sourcePath, compiling)
  if (source.jsonld !== undefined)
    return compileDocuments(source, 'jsonld', source.jsonld, sourcePath, compiling)
  if (source.state !== undefined)
    return compileDocuments(source, 'state', source.state, sourcePath, compiling)
  if (source.microdata !== undefined)
    return compileMicrodata(source, source.microdata, sourcePath, compiling)
  const readOne = compileOne(source)
  if (readOne === null) return compileText(source, sourcePath, compiling)
  // Text from the page is collapsed, as all texts are. A constant and a fact stay unchanged.
  const read = compileValues(
    source.meta === undefined && source.url === undefined
      ? source
      : { ...source, as: source.as ?? 'text' },
    sourcePath,
    compiling,
  )
  const { product, meta } = source
  const valuesOf = (page: PageContent): readonly Json[] => {
    const value = readOne(page)
    return value === null ? [] : [value]
  }
  return readerOfValues(read, valuesOf, function* (page) {
    if (product !== undefined) yield* productOfPage(page)
    else if (meta !== undefined) yield* page.readMeta()
  })
}

/**
 * Compiles sources of at most one value, independent of the row's node. Returns `null` for a
 * pattern without another source.
 */
function compileOne({
  meta,
  url,
  page: fact,
  product,
  carried,
  const: constant,
}: FieldSource): ((page: PageContent) => Json) | null {
  if (meta !== undefined) return (page) => page.meta(meta)
  if (url === true) return (page) => page.url
  if (product !== undefined)
    return (page) => {
      const { [product]: value, unclearPrice } = readProduct(page)
      if (product === 'price' && unclearPrice !== null) page.budget.note(unclearPrice)
      return value
    }
  if (fact !== undefined) return (page) => page.facts[fact]
  if (carried !== undefined) return (page) => page.carried(carried)
  return constant === undefined ? null : () => constant
}
