import type { Element } from 'domhandler'
import { isList } from '../../kernel/json.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { compileFields } from '../extract/field-group.ts'
import type { Parts } from '../extract/page/in-turns.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { collapse, hasLongText } from '../extract/tree/text-content.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { SourceFrame } from './source-frame.ts'

/** Elements that contain no value of a row, including all of their content. */
const APART = new Set([
  'head',
  'nav',
  'footer',
  'script',
  'style',
  'template',
  'noscript',
  'svg',
  'select',
  'datalist',
])
/** Maximum number of elements that are remembered for one value of one column. */
const MOST_ELEMENTS = 50
/** Longest value that is looked for, in characters. */
const MOST_TEXT = 2_000
/** Maximum number of elements below an element that is read as one value. */
const MOST_INNER = 50
/** Elements that are read in one part. */
const PART_READS = 100
/** Characters of an element that is read in parts of its own. */
const LONG = 20_000

/** Elements of a page by the value that a column's source would read from each. */
export interface ValueElements {
  /** The innermost elements that give a value, in document order. For a list: those of its members. */
  of(column: string, value: Json | undefined): readonly Element[]
}

/**
 * Reads every small element as each column would, and stores those with a value of the rows.
 * Navigation is left out, because a value that occurs only there does not belong to the row.
 */
export function* findElementParts(
  page: PageContent,
  frames: ReadonlyMap<string, SourceFrame>,
  rows: readonly Row[],
): Parts<ValueElements> {
  const byColumn = new Map<string, Map<string, Element[]>>()
  for (const column of frames.keys()) {
    const sought = new Map<string, Element[]>()
    for (const row of rows) for (const key of keysOf(row[column])) sought.set(key, [])
    if (sought.size > 0) byColumn.set(column, sought)
  }
  const here = [...frames].filter(([column]) => byColumn.has(column))
  const group = compileFields(
    Object.fromEntries(here.map(([column, frame]) => [column, frame.here])),
    'relocation',
    [],
    'element',
  )
  const { elements } = page.tree
  if (page.isInTurns) yield* page.readMeta()
  let reads = 0
  for (let index = 0; index < elements.length && page.budget.overrun === null; index++) {
    const element = elements[index]
    if (element === undefined) break
    const last = element.endIndex ?? index
    page.budget.work(1)
    if (isApart(element)) {
      index = last
      continue
    }
    if (last - index > MOST_INNER) continue
    const read =
      page.isInTurns && hasLongText(element, LONG)
        ? yield* group.readParts(page, { element })
        : group.read(page, { element })
    if (++reads % PART_READS === 0) yield
    for (const [column, sought] of byColumn) {
      for (const key of keysOf(read[column])) {
        const matches = sought.get(key)
        if (matches === undefined) continue
        // If an element around this one gave the same value, the inner one counts.
        while (isWithin(element, matches.at(-1))) matches.pop()
        if (matches.length < MOST_ELEMENTS) matches.push(element)
      }
    }
  }
  return {
    of: (column, value) => keysOf(value).flatMap((key) => byColumn.get(column)?.get(key) ?? []),
  }
}

/** True for an element that is in another, which comes before it. */
export function isWithin(element: Element, outer: Element | undefined): boolean {
  if (outer === undefined) return false
  const position = element.startIndex ?? -1
  return position > (outer.startIndex ?? 0) && position <= (outer.endIndex ?? -1)
}

function isApart({ name, attribs }: Element): boolean {
  return APART.has(name) || attribs['role'] === 'navigation'
}

/** Texts by which values are compared. For a list, those of its members. */
export function keysOf(value: Json | undefined): string[] {
  if (value === undefined || !hasValue(value)) return []
  if (isList(value)) return value.flatMap((item) => keysOf(item))
  if (typeof value !== 'string') return [`${typeof value} ${JSON.stringify(value)}`]
  const text = collapse(value)
  return text === '' || text.length > MOST_TEXT ? [] : [`string ${text}`]
}
