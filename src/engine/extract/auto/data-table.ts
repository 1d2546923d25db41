import { isTag, type Element } from 'domhandler'
import type { Json } from '../../../kernel/json.ts'
import { isReservedName } from '../../../kernel/names.ts'
import type { Field, Fields } from '../../recipe/recipe-input.ts'
import { inSlices, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import { numberReadingParts } from '../value/number-signs.ts'
import { parseNumber } from '../value/parse-number.ts'
import {
  cellText,
  headingText,
  linkIn,
  tableGrid,
  tableGridParts,
  type TableGrid,
} from '../format/table-grid.ts'
import { isWithin, within } from './item-elements.ts'
import { select, selectParts, selectorParts } from './stable-selector.ts'
import type { DocumentText } from '../../../ports/document-reader.ts'
import { loadedReaders } from '../document/prepare-page.ts'

/** A table of records: its rows, and a field per column. */
interface DataTable {
  readonly items: string
  readonly fields: Record<string, Field>
  readonly rows: number
}

const MIN_ROWS = 2
const MIN_COLUMNS = 2
const LONGEST_NUMBER = 40
/** Steps that a turn counts for a text that may be a number. */
const NUMBER_STEPS = 60
/** Maximum number of tables for which a selector is searched, the largest first. */
const MOST_TRIED = 5
/** Maximum number of tables that are compared by their headings. */
const MOST_ALIKE = 30
/**
 * Maximum length of a heading by which a column is found. If it is longer, the column is found by
 * its number.
 */
const LONGEST_NAME = 100

/**
 * How the columns of a table are named and read. `typed`: names for programs (`unit_price_eur`),
 * numbers as numbers, links as a column. `written`: headings and cells as the page writes them.
 */
export type TableReading = 'typed' | 'written'

/** Returns the page's largest table with headings and no tables inside, or `null`. */
export function* dataTableParts(
  page: PageContent,
  reading: TableReading = 'typed',
): Parts<DataTable | null> {
  const tables = page.tree.elements.filter(({ name }) => name === 'table')
  const grids: TableGrid[] = []
  for (const [index, table] of tables.entries()) {
    if (saysLayout(table) || isAround(table, tables[index + 1])) continue
    grids.push(yield* tableGridParts(table, page.budget))
    yield
  }
  const largest = grids
    .filter(({ records, headings }) => records.length >= MIN_ROWS && headings.length >= MIN_COLUMNS)
    .toSorted((a, b) => b.records.length * b.headings.length - a.records.length * a.headings.length)
  // Each selector is searched in the whole page, so only a few tables are tried.
  for (const grid of largest.slice(0, MOST_TRIED)) {
    const alone = yield* rowSelector(page, [grid])
    const alike = alone === null ? alikeTo(grid, largest, page.budget) : []
    const items = alone ?? (alike.length === 0 ? null : yield* rowSelector(page, [grid, ...alike]))
    if (items === null) continue
    const records = [grid, ...alike].flatMap((table) => table.records)
    const all = { ...grid, records }
    return {
      items,
      fields: yield* reading === 'written'
        ? writtenFields(all, page.budget)
        : typedFields(all, page),
      rows: records.length,
    }
  }
  return null
}

function saysLayout({ attribs }: Element): boolean {
  return /^(?:presentation|none)$/.test(attribs['role'] ?? '')
}

/** True if the next table of the page is in this one. */
function isAround({ endIndex }: Element, next: Element | undefined): boolean {
  return (next?.startIndex ?? Infinity) <= (endIndex ?? -1)
}

/**
 * Returns why a table has no records, as the end of a sentence about its rows. `null`: it may have
 * records.
 */
export function whyNoTable(table: Element, page: PageContent): string | null {
  if (saysLayout(table)) return 'are in a table that is marked as layout'
  if (within(table, page.budget).some(({ name }) => name === 'table'))
    return 'are in a table around others, so it is layout'
  const { headings, records } = tableGrid(table, page.budget)
  if (headings.length === 0) return 'are in a table without headings to name its columns'
  if (headings.length < MIN_COLUMNS) return 'are in a table of one column'
  if (records.length < MIN_ROWS) return 'are in a table with one row below its headings'
  return null
}

/** The other tables with the same headings, such as the parts of a league. */
function alikeTo(
  grid: TableGrid,
  grids: readonly TableGrid[],
  budget: PageBudget,
): readonly TableGrid[] {
  const named = ({ headings }: TableGrid): string =>
    headings.map((cells) => headingText(cells, budget)).join('\n')
  const names = named(grid)
  return grids.slice(0, MOST_ALIKE).filter((other) => other !== grid && named(other) === names)
}

function* writtenFields(grid: TableGrid, budget: PageBudget): Parts<Record<string, Field>> {
  const fields: Record<string, Field> = {}
  const columns = yield* columnsOf(grid, budget)
  for (const [index, column] of columns.entries())
    fields[
      freeName(
        column.heading === '' || isReservedName(column.heading)
          ? `column_${index + 1}`
          : column.heading.slice(0, LONGEST_COLUMN),
        fields,
      )
    ] = { cell: column.cell }
  return fields
}

function* typedFields(grid: TableGrid, page: PageContent): Parts<Record<string, Field>> {
  const { budget } = page
  const fields: Record<string, Field> = {}
  const columns = yield* columnsOf(grid, budget)
  const numbers: (readonly string[])[] = []
  for (const { cells } of columns) numbers.push(yield* numbersIn(cells, budget))
  const headings = columns.map(({ heading }) => heading)
  const readings = yield* numberReadingParts(numbers, page, headings)
  for (const [index, { heading, cell }] of columns.entries()) {
    const as = numbers[index]?.length === 0 ? null : (readings[index] ?? null)
    fields[freeName(columnName(heading, index), fields)] = as === null ? { cell } : { cell, as }
  }
  yield
  const linked: number[] = []
  for (const slice of inSlices(grid.records)) {
    for (const { cells } of slice)
      linked.push(cells.findIndex((cell) => cell !== null && linkIn(cell, budget) !== null))
    yield
  }
  const column = linked.find((index) => index !== -1)
  const url = column === undefined ? undefined : columns[column]
  if (
    url !== undefined &&
    linked.filter((index) => index === column).length >= grid.records.length * 0.6
  )
    fields[freeName('url', fields)] = { cell: url.cell, as: 'url' }
  return fields
}

/** Maximum characters of a column's name. */
const LONGEST_COLUMN = 100

/** A column: its heading, the source that finds its cells, and the cells themselves. */
interface Column {
  readonly heading: string
  readonly cell: string | number
  readonly cells: readonly Element[]
}

/**
 * Returns the columns with at least one text. A column is found by its heading if no other has the
 * same one.
 */
function* columnsOf(
  { headings, records }: TableGrid,
  budget: PageBudget,
): Parts<readonly Column[]> {
  const texts = headings.map((cells) => headingText(cells, budget))
  const counts = new Map<string, number>()
  for (const text of texts)
    counts.set(text.toLowerCase(), (counts.get(text.toLowerCase()) ?? 0) + 1)
  const columns: Column[] = []
  for (const [index, heading] of texts.entries()) {
    yield
    const cells = [...new Set(records.flatMap((record) => record.cells[index] ?? []))]
    if (!cells.some((cell) => cellText(cell, budget) !== '')) continue
    const isUnique = counts.get(heading.toLowerCase()) === 1
    const cell = heading !== '' && heading.length <= LONGEST_NAME && isUnique ? heading : index + 1
    columns.push({ heading, cell, cells })
  }
  return columns
}

/**
 * The selector of the rows of tables. It may match rows without records, because they have no
 * cells.
 */
function* rowSelector(page: PageContent, grids: readonly TableGrid[]): Parts<string | null> {
  const rows = inOrder(grids.flatMap(({ records }) => records.map(({ row }) => row)))
  const exact = yield* selectorParts(page, rows, 0)
  if (exact !== null) return exact
  const tables = inOrder(grids.map(({ table }) => table))
  const name = yield* selectorParts(page, tables, 0)
  const position = tables.length === 1 ? tableByPosition(page, tables[0]) : null
  for (const base of [name, 'table', position].filter((css) => css !== null))
    for (const css of [`${base} > tbody > tr:has(> td)`, `${base} > tbody > tr`, `${base} tr`]) {
      yield
      const matches = yield* selectParts(page, css)
      const matched = new Set(matches)
      page.budget.work(matches.length * tables.length)
      if (
        rows.every((row) => matched.has(row)) &&
        matches.every(({ startIndex }) => tables.some((table) => isWithin(startIndex, table)))
      )
        return css
    }
  return yield* selectorParts(page, rows, 0.1)
}

/** The selector of a table by its position among those beside it. `null`: it finds others, too. */
function tableByPosition(page: PageContent, table: Element | undefined): string | null {
  const beside = table?.parent?.children.filter((node) => isTag(node) && node.name === 'table')
  if (table === undefined || beside === undefined) return null
  const css = `table:nth-of-type(${beside.indexOf(table) + 1})`
  const matches = select(page, css, null)
  return matches.length === 1 && matches[0] === table ? css : null
}

function inOrder(elements: readonly Element[]): readonly Element[] {
  return elements.toSorted((a, b) => (a.startIndex ?? 0) - (b.startIndex ?? 0))
}

/** The numbers of a column. Empty if one of its texts is not a number. */
function* numbersIn(cells: readonly Element[], budget: PageBudget): Parts<readonly string[]> {
  const texts: string[] = []
  for (const slice of inSlices(cells)) {
    for (const cell of slice) {
      const text = cellText(cell, budget)
      if (text !== '') texts.push(text)
    }
    yield
  }
  for (const slice of inSlices(texts)) {
    if (!slice.every(isNumber)) return []
    budget.unpaid(NUMBER_STEPS * slice.length)
    yield
  }
  return texts
}

function isNumber(text: string): boolean {
  return (
    text.length < LONGEST_NUMBER &&
    /^[^\w\s]{0,2}\s?[-+−]?\s?(?:\d{1,3}(?:\s\d{3})+(?:[.,]\d+)?|\d[\d.,]*)\s?[^\w\s]{0,2}$/.test(
      text,
    ) &&
    parseNumber(text) !== null
  )
}

/** `Unit price (EUR)` → `unit_price_eur`. */
function columnName(heading: string, index: number): string {
  const name = heading
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\[[^[\]]*\]/g, '')
    .replace(/%(?=\s*\p{L})/gu, ' percent ')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 60)
  return name === '' || isReservedName(name) ? `column_${index + 1}` : name
}

function freeName(name: string, fields: Readonly<Record<string, Field>>): string {
  let free = name
  for (let count = 2; Object.hasOwn(fields, free); count++) free = `${name}_${count}`
  return free
}

/**
 * Returns the fields of CSV and JSON Lines records, or of the largest table of a document, or
 * `null` for any other page and without records. `least`: the minimum share of the document's text
 * in its table.
 */
export function* tableFieldParts(
  page: PageContent,
  least = TABLE_SHARE,
): Parts<{ readonly items: string; readonly fields: Fields } | null> {
  if (page.document !== null) return yield* documentTable(page, page.document, least)
  if (!page.isTable) return null
  const fields = yield* fieldsOf(page.data, page)
  return Object.keys(fields).length === 0 ? null : { items: '$[*]', fields }
}

/** Minimum share of a PDF's text in its table. With less, it is an article with a table. */
const TABLE_SHARE = 0.3

function* fieldsOf(documents: readonly Json[], page: PageContent): Parts<Record<string, Field>> {
  const readers = loadedReaders()
  return readers === null ? {} : yield* readers.recordFieldParts(readers.allOf(documents), page)
}

function* documentTable(
  page: PageContent,
  { text }: DocumentText,
  share: number,
): Parts<{ readonly items: string; readonly fields: Fields } | null> {
  const sizes = page.tables.map(({ rows }) =>
    rows.length < MIN_ROWS
      ? 0
      : rows.reduce(
          (sum, row) =>
            sum + Object.values(row).reduce((length: number, cell) => length + lengthOf(cell), 0),
          0,
        ),
  )
  const largest = Math.max(0, ...sizes)
  const index = sizes.indexOf(largest)
  const table = page.tables[index]
  const least = page.kind === 'xlsx' ? 0 : text.length * share
  if (table === undefined || largest <= least) return null
  const fields = yield* fieldsOf([table.rows], page)
  return Object.keys(fields).length < MIN_COLUMNS
    ? null
    : { items: `$.tables[${index}].rows[*]`, fields }
}

function lengthOf(cell: Json): number {
  return cell === null ? 0 : typeof cell === 'string' ? cell.length : 4
}
