import type { Element } from 'domhandler'
import { isObject } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type {
  PageRelocation,
  RelocatedItems,
  LocatedSource,
  SoughtRows,
} from '../../ports/page-processor.ts'
import {
  positionWithin,
  selectorParts,
  selectParts,
  selectorsWithin,
} from '../extract/auto/stable-selector.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import type { RowNode } from '../extract/source/reader.ts'
import type { FieldSource } from '../recipe/recipe-input.ts'
import type { Recipe } from '../recipe/schema.ts'
import { isDetected } from './auto-extract.ts'
import { compileExtract } from './compile-extract.ts'
import { QuickPass, type Parts } from '../extract/page/in-turns.ts'
import { itemsAround } from './items-around.ts'
import { frameOf, jsonOf } from './source-frame.ts'
import type { SourceFrame } from './source-frame.ts'
import { findElementParts, isWithin, keysOf } from './value-elements.ts'
import type { ValueElements } from './value-elements.ts'

/**
 * Maximum number of rows whose values are looked for on one page. A selector can be found with
 * fewer.
 */
const MOST_ROWS = 60
/** Maximum number of these rows for which selectors are made. */
const MOST_NAMED_ROWS = 12
/** Maximum number of elements with a row's value for which selectors are made. */
const MOST_TARGETS = 3
/** Selectors for one element. */
const MOST_SELECTORS = 6
/**
 * Maximum number of elements that the search for selectors of one element on a whole page may
 * inspect.
 */
const MOST_INSPECTED = 300_000
/** Maximum number of values of JSON-LD that are compared. */
const MOST_VALUES = 5_000
/**
 * Allowed extra matches of a selector for items, as a share of the known ones, because a list may
 * grow.
 */
const GROWTH = 1

/**
 * Looks on a page for values that rows once had, and returns sources that find them. These are
 * sources of the columns whose source no longer matches. If the items cannot be found any more,
 * they are sources of the items and of all columns. Every step is paid for by the page's budget.
 */
export function* relocateParts(
  recipe: Recipe,
  page: PageContent,
  { columns, rows }: SoughtRows = { columns: [], rows: [] },
): Parts<PageRelocation> {
  const { extract } = recipe
  if (!isDetected(recipe) || extract === 'auto' || extract?.fields === undefined) return []
  const frames = new Map<string, SourceFrame>()
  for (const [column, field] of Object.entries(extract.fields)) {
    const frame = frameOf(field)
    if (frame !== null) frames.set(column, frame)
  }
  const sought = rows.slice(0, MOST_ROWS)
  yield
  const valueElements = yield* findElementParts(page, frames, sought)
  yield
  const framed = columns.filter((column) => frames.has(column))
  const search: Search = { page, frames, valueElements, rows: sought }
  if (extract.items === undefined) {
    const [row] = sought
    return row === undefined ? [] : [{ items: null, sources: yield* onPage(search, row, framed) }]
  }
  const nodes: RowNode[] = []
  yield* compileExtract(recipe, []).read(page, nodes)
  const itemElements = new Set(nodes.flatMap(({ element }) => element ?? []))
  const aligned = alignRows(search, itemElements)
  const present = sought.filter((row) =>
    [...frames.keys()].some((column) => valueElements.of(column, row[column]).length > 0),
  )
  if (present.length === 0) return []
  if (aligned.length * 2 >= present.length)
    return [{ items: null, sources: yield* inItems(search, aligned, framed) }]
  const relocated: RelocatedItems[] = []
  for (const elements of itemsAround(sought, [...frames.keys()], valueElements, page.budget)) {
    yield
    const items = yield* selectorParts(page, elements, GROWTH)
    if (items === null) continue
    const rowItems = alignRows(search, new Set(yield* selectParts(page, items)))
    relocated.push({ items, sources: yield* inItems(search, rowItems, [...frames.keys()]) })
  }
  return relocated
}

/** A search for lost values on one page. */
interface Search {
  readonly page: PageContent
  readonly frames: ReadonlyMap<string, SourceFrame>
  readonly valueElements: ValueElements
  readonly rows: readonly Row[]
}

/** A row, and the item that has most of its values. */
type Aligned = readonly [row: Row, item: Element]

/** Finds the item of each row. A row is left out if two items have equally many of its values. */
function alignRows(
  { page: { budget }, frames, valueElements, rows }: Search,
  items: ReadonlySet<Element>,
): Aligned[] {
  if (items.size === 0) return []
  return rows.flatMap((row): Aligned[] => {
    const votes = new Map<Element, number>()
    for (const column of frames.keys()) {
      const around = new Set<Element>()
      for (const element of valueElements.of(column, row[column])) {
        const item = itemOf(element, items, budget)
        if (item !== null) around.add(item)
      }
      for (const item of around) votes.set(item, (votes.get(item) ?? 0) + 1)
    }
    const [best, second] = [...votes].toSorted(([, a], [, b]) => b - a)
    return best === undefined || best[1] === second?.[1] ? [] : [[row, best[0]]]
  })
}

function itemOf(
  element: Element,
  items: ReadonlySet<Element>,
  budget: PageContent['budget'],
): Element | null {
  for (let above: Element['parent'] = element; above !== null; above = above.parent) {
    budget.work(1)
    if ('attribs' in above && items.has(above)) return above
  }
  return null
}

function* inItems(
  { page, frames, valueElements }: Search,
  aligned: readonly Aligned[],
  columns: readonly string[],
): Parts<LocatedSource[]> {
  const sources: LocatedSource[] = []
  for (const column of columns) {
    const frame = frames.get(column)
    if (frame === undefined) continue
    const counted = new SourceCount(column)
    let named = 0
    for (const [row, item] of aligned) {
      const targets = valueElements
        .of(column, row[column])
        .filter((element) => element === item || isWithin(element, item))
      if (targets.length === 0) continue
      if (++named > MOST_NAMED_ROWS) break
      yield
      counted.addRow(yield* sourcesAt(page, frame, targets.slice(0, MOST_TARGETS), item))
    }
    sources.push(...counted.sources())
  }
  return sources
}

/** Sources on a page that is one row. Its data is searched too. */
function* onPage(
  { page, frames, valueElements }: Search,
  row: Row,
  columns: readonly string[],
): Parts<LocatedSource[]> {
  const isSought = columns.length > 0 && !page.isData
  if (isSought) yield* page.readData()
  const data = isSought ? yield* dataOf(page) : null
  const sources: LocatedSource[] = []
  for (const column of columns) {
    yield
    const frame = frames.get(column)
    if (frame === undefined) continue
    const targets = valueElements.of(column, row[column]).slice(0, MOST_TARGETS)
    const counted = new SourceCount(column)
    counted.addRow([
      ...(data === null ? [] : inData(data, frame, row[column])),
      ...(yield* sourcesAt(page, frame, targets, null)),
    ])
    sources.push(...counted.sources())
  }
  return sources
}

function* sourcesAt(
  page: PageContent,
  frame: SourceFrame,
  targets: readonly Element[],
  scope: Element | null,
): Parts<(string | FieldSource)[]> {
  const sources: (string | FieldSource)[] = []
  for (const target of targets)
    for (const css of yield* selectorsOf(page, target, scope)) sources.push(frame.at(css))
  return sources
}

function* selectorsOf(page: PageContent, target: Element, scope: Element | null): Parts<string[]> {
  if (target === scope) return [':scope']
  const selectors: string[] = []
  for (const css of selectorsWithin(page, target, scope, MOST_INSPECTED))
    if (css === null) yield
    else if (selectors.push(css) === MOST_SELECTORS) break
  return [...selectors, ...listed(scope === null ? null : positionWithin(target, scope))]
}

/** Steps that a turn counts for a meta element, besides those for its text. */
const META_STEPS = 20
/** Bytes of memory for a remembered text, besides its letters. */
const TEXT_BYTES = 100

/**
 * The paths in JSON-LD and the names of meta elements for each text of a page, limited to some of
 * each.
 */
interface DataTexts {
  readonly paths: ReadonlyMap<string, ReadonlySet<string>>
  readonly metas: ReadonlyMap<string, ReadonlySet<string>>
}

/** Reads the data of a page once, for all columns. */
function* dataOf(page: PageContent): Parts<DataTexts> {
  const paths = new Map<string, Set<string>>()
  const metas = new Map<string, Set<string>>()
  const add = (texts: Map<string, Set<string>>, value: Json, origin: string): void => {
    page.budget.work(typeof value === 'string' ? value.length : 1)
    for (const key of keysOf(value).map(plainText)) {
      const origins = texts.get(key) ?? new Set()
      if (origins.size === 0) page.budget.make(TEXT_BYTES + key.length)
      if (origins.size < MOST_SELECTORS) texts.set(key, origins.add(origin))
    }
  }
  eachLeaf(page, (leaf, path) => add(paths, leaf, path))
  const pass = new QuickPass(page.budget, META_STEPS)
  for (const { name, attribs } of page.tree.elements) {
    const property = attribs['property'] ?? attribs['name']
    const { content } = attribs
    if (name !== 'meta' || property === undefined || content === undefined) continue
    if (pass.ends()) yield
    add(metas, content, property)
  }
  return { paths, metas }
}

/** Sources in JSON-LD and in meta elements whose value has the same text as the row's. */
function inData(
  { paths, metas }: DataTexts,
  frame: SourceFrame,
  value: Json | undefined,
): FieldSource[] {
  const keys = [...new Set(keysOf(value).map(plainText))]
  const originsIn = (texts: DataTexts['paths']): readonly string[] => [
    ...new Set(keys.flatMap((key) => [...(texts.get(key) ?? [])])),
  ]
  return [
    ...originsIn(paths).flatMap((path) => listed(frame.inJsonLd(path))),
    ...originsIn(metas).flatMap((property) => listed(frame.inMeta(property))),
  ].slice(0, MOST_SELECTORS)
}

function listed<T>(value: T | null): T[] {
  return value === null ? [] : [value]
}

/** The text of a key without its type: data may write a number as a text, such as `"12.50"`. */
function plainText(key: string): string {
  const text = key.slice(key.indexOf(' ') + 1)
  return /^\d{1,15}\.\d{1,15}$/.test(text) ? String(Number(text)) : text
}

/**
 * Calls `take` with the values of JSON-LD and a JSONPath to each: by the last two names, which
 * survive a new nesting.
 */
function eachLeaf(page: PageContent, take: (leaf: Json, path: string) => void): void {
  const open: { value: Json; path: readonly string[] }[] = page.data.map((value) => ({
    value,
    path: [],
  }))
  let left = MOST_VALUES
  for (let next = open.pop(); next !== undefined && left-- > 0; next = open.pop()) {
    page.budget.work(1)
    const { value, path } = next
    if (Array.isArray(value)) for (const entry of value) open.push({ value: entry, path })
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value))
        if (/^\w+$/.test(name)) open.push({ value: member, path: [...path.slice(-1), name] })
    } else if (path.length > 0) take(value, `$..${path.join('.')}`)
  }
}

/** Counts the rows in which each source finds the value. */
class SourceCount {
  readonly #column: string
  readonly #counts = new Map<string, { source: string | FieldSource; rows: number }>()

  constructor(column: string) {
    this.#column = column
  }

  addRow(sources: readonly (string | FieldSource)[]): void {
    const keys = new Map(sources.map((source) => [JSON.stringify(source), source]))
    for (const [key, source] of keys) {
      const present = this.#counts.get(key)
      if (present) present.rows++
      else this.#counts.set(key, { source, rows: 1 })
    }
  }

  /** The sources, those with most rows first. */
  sources(): LocatedSource[] {
    return [...this.#counts.values()]
      .toSorted((a, b) => b.rows - a.rows)
      .slice(0, 2 * MOST_SELECTORS)
      .map(({ source, rows }) => ({ column: this.#column, source: jsonOf(source), rows }))
  }
}
