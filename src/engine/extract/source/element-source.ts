import type { Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { PageContent } from '../page/page-content.ts'
import { parsePageJson } from '../page/parse-json.ts'
import { checkedSelector } from '../select/parse-selector.ts'
import { checkedJsonPath } from '../value/json-path.ts'
import { convertJson, convertText } from '../value/convert.ts'
import { readElement, writtenValue } from '../value/read-element.ts'
import { checkedXPath } from '../xpath/checked-xpath.ts'
import { collect, each, kept, MAX_VALUES, compileRefine, readsText, textOfJson } from './refine.ts'
import type { Compiling, Matches, Place, Reader } from './place.ts'

/** Finds the elements of a source. An XPath may also find texts. */
type Locate = (page: PageContent, matches: Matches, place: Place) => readonly (Element | string)[]

/** Reads one match. A list stands for several values. */
type Read = (found: Element | string, page: PageContent) => Json

/**
 * Compiles `css`. `cssPath`: the path of the selector, which differs from `at` if the field is only
 * a selector.
 */
export function compileCss(
  source: FieldSource,
  css: string,
  at: string,
  cssPath: string,
  compiling: Compiling,
): Reader {
  refuseJsonGround(cssPath, compiling)
  const selector = checkedSelector(css, cssPath, compiling.issues)
  const read = compileRead(source, at, compiling)
  if (selector === null) return () => null
  const tries = isPicky(source)
  const place = compiling.selectors.add(selector, source.many === true || tries)
  if (source.many === true || tries)
    return reader((_, matches) => matches[place] ?? [], read, source)
  return (page, matches) => {
    const element = matches[place]?.[0]
    return element === undefined ? null : kept(read(element, page), page.budget)
  }
}

/** Compiles `xpath`. */
export function compileXPath(
  source: FieldSource,
  xpath: string,
  at: string,
  xpathPath: string,
  compiling: Compiling,
): Reader {
  refuseJsonGround(xpathPath, compiling)
  const path = checkedXPath(xpath, xpathPath, compiling.issues)
  const read = compileRead(source, at, compiling)
  if (source.many === true || isPicky(source))
    return reader((page, _, place) => path(page, place.element), read, source)
  return reader((page, _, place) => path(page, place.element).slice(0, 1), read, source)
}

/** True if a match may turn out to have no value, so that the next match is tried. */
function isPicky({ regex, json }: FieldSource): boolean {
  return regex !== undefined || json !== undefined
}

function reader(
  locate: Locate,
  read: Read,
  { many = false, regex, json, transform }: FieldSource,
): Reader {
  const spreads = many && (regex !== undefined || json !== undefined || transform !== undefined)
  return (page, matches, place) => {
    const value = collect(each(locate(page, matches, place)), many, page.budget, (found) =>
      read(found, page),
    )
    return spreads && Array.isArray(value) ? value.flat() : value
  }
}

function compileRead(source: FieldSource, at: string, compiling: Compiling): Read {
  const { attr, as, many = false } = source
  if (source.json !== undefined) return compileReadJson(source, source.json, at, compiling)
  const nested =
    source.fields === undefined ? null : compiling.group(source.fields, `${at}.fields`, 'element')
  if (nested !== null)
    return (found, page) =>
      typeof found === 'string' ? null : nested.read(page, { element: found })
  const refine = compileRefine(source, at, compiling)
  const isForPeople = readsText(source)
  if (refine === null)
    return (found, page) =>
      typeof found === 'string'
        ? convertText(found, as ?? 'text', page, isForPeople ? page.language : null) || null
        : readElement(found, attr, as, page)
  return (found, page) => {
    const text = typeof found === 'string' ? found : writtenValue(found, attr, as, page)
    const values = text === null ? [] : refine(text, page)
    return many ? values : (values[0] ?? null)
  }
}

/** Reads JSON in an element, such as a script, or in an attribute. */
function compileReadJson(
  source: FieldSource,
  path: string,
  at: string,
  compiling: Compiling,
): Read {
  const { attr, as, many = false, fields } = source
  const query = checkedJsonPath(path, `${at}.json`, compiling.issues)
  const nested = fields === undefined ? null : compiling.group(fields, `${at}.fields`, 'json')
  const refine = compileRefine(source, at, compiling)
  const read = (one: Json, page: PageContent): readonly Json[] => {
    if (nested !== null) return [nested.read(page, { element: null, item: one })]
    if (refine !== null) return one === null ? [] : refine(textOfJson(one), page)
    const value = convertJson(one, as, page)
    return value === null ? [] : [value]
  }
  return (found, page) => {
    const text = typeof found === 'string' ? found : writtenValue(found, attr, 'json', page)
    const document = text === null ? undefined : parsePageJson(text, page.budget)
    if (document === undefined) return null
    const values: Json[] = []
    query(document, page.budget, (one) => {
      for (const value of read(one, page)) {
        if (values.length === MAX_VALUES) {
          page.budget.cut('values', MAX_VALUES)
          return true
        }
        values.push(value)
      }
      return !many && values.length > 0
    })
    return many ? values : (values[0] ?? null)
  }
}

function refuseJsonGround(path: string, { ground, issues }: Compiling): void {
  if (ground === 'json')
    issues.push({
      path,
      message:
        'looks for elements, but the items of a JSONPath are JSON; start with $ for a path in ' +
        'the item',
    })
}
