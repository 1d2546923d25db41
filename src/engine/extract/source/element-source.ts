import { isTag, type Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { typeOfReading } from '../../recipe/field-schema.ts'
import { cellOf, cellText, linkIn, readGrid } from '../format/table-grid.ts'
import { parsePageJson, readJson } from '../page/parse-json.ts'
import { checkedSelector } from '../select/parse-selector.ts'
import { checkedJsonPath } from '../value/json-path.ts'
import { convertJson, convertText } from '../value/convert.ts'
import { prepareContent, readElement, writtenValue } from '../value/read-element.ts'
import { checkedXPath } from '../xpath/checked-xpath.ts'
import {
  collect,
  collectParts,
  each,
  eachParts,
  paidFor,
  MAX_VALUES,
  compileRefine,
  readsText,
  textOfJson,
} from './refine.ts'
import type { Compiling, Matches, RowNode, ValueReader } from './reader.ts'

/** Finds the elements of a source. An XPath may also find texts. */
interface Locate {
  (page: PageContent, matches: Matches, node: RowNode): readonly (Element | string)[]
  /** The same in parts. Absent if it does not take long. */
  parts?(page: PageContent, node: RowNode): Parts<readonly (Element | string)[]>
}

/** Reads one match. A list stands for several values. */
interface Read {
  (match: Element | string, page: PageContent): Json
  /** The same in parts. */
  parts(match: Element | string, page: PageContent): Parts<Json>
}

/**
 * Compiles `css`. `cssPath`: the path of the selector, which differs from `sourcePath` if the field
 * is only a selector.
 */
export function compileCss(
  source: FieldSource,
  css: string,
  sourcePath: string,
  cssPath: string,
  compiling: Compiling,
): ValueReader {
  refuseJsonGround(cssPath, compiling)
  const selector = checkedSelector(css, cssPath, compiling.issues)
  const read = compileRead(source, sourcePath, compiling)
  if (selector === null) return () => null
  const tries = isPicky(source)
  const index = compiling.selectors.add(selector, source.many === true || tries)
  if (source.many === true || tries)
    return reader((_, matches) => matches[index] ?? [], read, source)
  return Object.assign(
    (page: PageContent, matches: Matches) => {
      const element = matches[index]?.[0]
      return element === undefined ? null : paidFor(read(element, page), page.budget)
    },
    {
      *parts(page: PageContent, matches: Matches): Parts<Json> {
        const element = matches[index]?.[0]
        return element === undefined ? null : paidFor(yield* read.parts(element, page), page.budget)
      },
    },
  )
}

/** Compiles `xpath`. */
export function compileXPath(
  source: FieldSource,
  xpath: string,
  sourcePath: string,
  xpathPath: string,
  compiling: Compiling,
): ValueReader {
  refuseJsonGround(xpathPath, compiling)
  const path = checkedXPath(xpath, xpathPath, compiling.issues)
  const read = compileRead(source, sourcePath, compiling)
  const isAll = source.many === true || isPicky(source)
  const locate = Object.assign(
    (page: PageContent, _: Matches, { element }: RowNode) =>
      isAll ? path(page, element) : path(page, element, 'first').slice(0, 1),
    {
      *parts(page: PageContent, { element }: RowNode) {
        const matches = yield* path.parts(page, element, isAll ? 'all' : 'first')
        return isAll ? matches : matches.slice(0, 1)
      },
    },
  )
  return reader(locate, read, source)
}

/** Types that are made from an element and not from its text. */
const OF_ELEMENTS: readonly string[] = ['html', 'markdown', 'media', 'json']

/** Compiles `cell`: a cell of the row's item, which is a row of a table. */
export function compileCell(
  source: FieldSource,
  column: string | number,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  if (compiling.ground !== 'element')
    compiling.issues.push({
      path: `${sourcePath}.cell`,
      message: 'is a cell of a row, so items must select rows of a table, such as tr',
    })
  const read = compileRead(source, sourcePath, compiling)
  const { as, attr, fields, json } = source
  const type = as === undefined ? 'text' : typeOfReading(as)
  const wantsElement =
    attr !== undefined || fields !== undefined || json !== undefined || OF_ELEMENTS.includes(type)
  const locate = (page: PageContent, element: Element | null): readonly (Element | string)[] => {
    const cell = element === null ? null : cellOf(element, column, page.budget)
    if (cell === null) return []
    if (type === 'url' && attr === undefined) return [linkIn(cell, page.budget) ?? cell]
    const time = type === 'date' ? timeIn(cell) : null
    if (wantsElement || time !== null) return [time ?? cell]
    const text = cellText(cell, page.budget)
    return text === '' ? [] : [text]
  }
  return reader(
    Object.assign((page: PageContent, _: Matches, { element }: RowNode) => locate(page, element), {
      *parts(page: PageContent, { element }: RowNode) {
        if (element !== null) yield* readGrid(element, page.budget)
        return locate(page, element)
      },
    }),
    read,
    source,
  )
}

/** The time of a cell that has a machine-readable one. */
function timeIn(cell: Element): Element | null {
  const only = cell.children.filter(isTag)
  const [time] = only
  return only.length === 1 && time?.name === 'time' ? time : null
}

/** True if a match may have no value, so that the next match must be tried. */
function isPicky({ regex, json }: FieldSource): boolean {
  return regex !== undefined || json !== undefined
}

function reader(
  locate: Locate,
  read: Read,
  { many = false, regex, json, transform }: FieldSource,
): ValueReader {
  const spreads = many && (regex !== undefined || json !== undefined || transform !== undefined)
  const spread = (value: Json): Json => (spreads && Array.isArray(value) ? value.flat() : value)
  return Object.assign(
    (page: PageContent, matches: Matches, node: RowNode) =>
      spread(
        collect(each(locate(page, matches, node)), many, page.budget, (match) => read(match, page)),
      ),
    {
      *parts(page: PageContent, matches: Matches, node: RowNode): Parts<Json> {
        const list =
          locate.parts === undefined ? locate(page, matches, node) : yield* locate.parts(page, node)
        return spread(
          yield* collectParts(
            (take: (match: Element | string) => Parts<boolean>) => eachParts(list, take),
            many,
            page.budget,
            (match) => read.parts(match, page),
          ),
        )
      },
    },
  )
}

function compileRead(source: FieldSource, sourcePath: string, compiling: Compiling): Read {
  const { attr, as, many = false } = source
  if (source.json !== undefined) return compileReadJson(source, source.json, sourcePath, compiling)
  const nested =
    source.fields === undefined
      ? null
      : compiling.group(source.fields, `${sourcePath}.fields`, 'element')
  if (nested !== null)
    return Object.assign(
      (match: Element | string, page: PageContent) =>
        typeof match === 'string' ? null : nested.read(page, { element: match }),
      {
        *parts(match: Element | string, page: PageContent): Parts<Json> {
          return typeof match === 'string'
            ? null
            : yield* nested.readParts(page, { element: match })
        },
      },
    )
  const refine = compileRefine(source, sourcePath, compiling)
  const isForPeople = readsText(source)
  const read = (match: Element | string, page: PageContent): Json => {
    if (refine === null)
      return typeof match === 'string'
        ? blankAsNull(convertText(match, as ?? 'text', page, isForPeople))
        : readElement(match, attr, as, page)
    const text = typeof match === 'string' ? match : writtenValue(match, attr, as, page)
    const values = text === null ? [] : refine(text, page)
    return many ? values : (values[0] ?? null)
  }
  return Object.assign(read, {
    *parts(match: Element | string, page: PageContent): Parts<Json> {
      if (typeof match !== 'string' && attr === undefined) yield* prepareContent(match, as, page)
      return read(match, page)
    },
  })
}

function blankAsNull(value: Json): Json {
  return value === '' ? null : value
}

/** Reads JSON in an element, such as a script, or in an attribute. */
function compileReadJson(
  source: FieldSource,
  path: string,
  sourcePath: string,
  compiling: Compiling,
): Read {
  const { attr, as, many = false, fields } = source
  const query = checkedJsonPath(path, `${sourcePath}.json`, compiling.issues)
  const nested =
    fields === undefined ? null : compiling.group(fields, `${sourcePath}.fields`, 'json')
  const refine = compileRefine(source, sourcePath, compiling)
  const read = (node: Json, page: PageContent): readonly Json[] => {
    if (refine !== null) return node === null ? [] : refine(textOfJson(node), page)
    const value = convertJson(node, as, page)
    return value === null ? [] : [value]
  }
  const readNode = (node: Json, page: PageContent): readonly Json[] =>
    nested === null ? read(node, page) : [nested.read(page, { element: null, item: node })]
  const collecting = (page: PageContent) => {
    const values: Json[] = []
    const add = (more: readonly Json[]): boolean => {
      for (const value of more) {
        if (values.length === MAX_VALUES) {
          page.budget.cut('values', MAX_VALUES)
          return true
        }
        values.push(value)
      }
      return !many && values.length > 0
    }
    return { add, end: (): Json => (many ? values : (values[0] ?? null)) }
  }
  return Object.assign(
    (match: Element | string, page: PageContent) => {
      const text = typeof match === 'string' ? match : writtenValue(match, attr, 'json', page)
      const document = text === null ? undefined : parsePageJson(text, page.budget)
      if (document === undefined) return null
      const { add, end } = collecting(page)
      query(document, page.budget, (node) => add(readNode(node, page)))
      return end()
    },
    {
      *parts(match: Element | string, page: PageContent): Parts<Json> {
        const text = typeof match === 'string' ? match : writtenValue(match, attr, 'json', page)
        const document = text === null ? undefined : yield* readJson(text, page.budget, true)
        if (document === undefined) return null
        const { add, end } = collecting(page)
        const take = function* (node: Json): Parts<boolean> {
          return add(
            nested === null
              ? read(node, page)
              : [yield* nested.readParts(page, { element: null, item: node })],
          )
        }
        yield* query.parts(document, page.budget, take)
        return end()
      },
    },
  )
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
