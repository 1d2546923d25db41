import { isTag } from 'domhandler'
import type { ChildNode, Element } from 'domhandler'
import { atOnce, filterParts, StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { collapse, readableText, textStart, walk } from '../tree/text-content.ts'
import { isHidden } from './beside.ts'

/** Maximum columns of a grid. Cells further right are left out. */
const MOST_COLUMNS = 200
/** Bytes of memory for each further cell of the grid. */
const CELL_BYTES = 8
/** Steps that a turn counts for a row of the grid, besides those for its cells. */
const ROW_STEPS = 60
/** Maximum characters of a heading. */
const LONGEST_HEADING = 200
/** Maximum rows of headings. */
const MOST_HEADS = 5
/**
 * Maximum length of a heading that is recognised only by its position, and the minimum number of
 * rows below it.
 */
const LONGEST_NAME = 30
const LEAST_ROWS = 3
/** The longest mark of a footnote: `[note 12]`. */
const LONGEST_MARK = 12

/** A row of a table: the cell at each column. `null`: there is no cell. */
interface GridRow {
  readonly row: Element
  readonly cells: readonly (Element | null)[]
}

/**
 * A table with its spans expanded: a cell that spans rows or columns stands in each of them.
 * Hidden rows and cells are left out.
 */
export interface TableGrid {
  readonly table: Element
  /**
   * The rows below the headings, without the titles of sections and notes (one cell across all
   * columns) and without repeated headings.
   */
  readonly records: readonly GridRow[]
  /**
   * The cells of the heading rows above each column, each cell once. Empty: the table has no
   * heading rows.
   */
  readonly headings: readonly (readonly Element[])[]
}

const grids = new WeakMap<Element, TableGrid>()

/** Returns a table's grid. It is made once. */
export function tableGrid(table: Element, budget: PageBudget): TableGrid {
  return grids.get(table) ?? atOnce(gridParts(table, budget))
}

/** Like {@link tableGrid} in parts. */
export function* tableGridParts(table: Element, budget: PageBudget): Parts<TableGrid> {
  return grids.get(table) ?? (yield* gridParts(table, budget))
}

/** Makes in parts the grid of the table that a row is in. */
export function* readGrid(row: Element, budget: PageBudget): Parts<void> {
  const table = tableOf(row)
  if (table !== null && !grids.has(table)) yield* gridParts(table, budget)
}

function* gridParts(table: Element, budget: PageBudget): Parts<TableGrid> {
  const rows = yield* expand(table, budget)
  const [wide] = yield* filterParts(rows, ({ cells }) => widthOf(cells) > 1, budget, 1)
  const first = wide === undefined ? -1 : rows.indexOf(wide)
  const heads = first === -1 ? 0 : headRows(rows.slice(first), budget)
  const headings = rows.slice(Math.max(0, first), first + heads)
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0)
  const grid: TableGrid = {
    table,
    headings:
      heads === 0
        ? []
        : Array.from({ length: width }, (_, index) => [
            ...new Set(headings.flatMap(({ cells }) => cells[index] ?? [])),
          ]),
    records: heads === 0 ? rows : yield* recordsIn(rows.slice(first + heads), headings, budget),
  }
  grids.set(table, grid)
  return grid
}

/** Returns the text of a column's headings: those of several rows one after the other. */
export function headingText(cells: readonly Element[], budget: PageBudget): string {
  return collapse(cells.map((cell) => cellText(cell, budget)).join(' ')).slice(0, LONGEST_HEADING)
}

/** Returns a cell's text without its hidden parts and its marks of footnotes. */
export function cellText(cell: Element, budget: PageBudget): string {
  return collapse(
    readableText(cell, ' ', budget, (part) => !isHidden(part) && !isFootnoteMark(part, budget)),
  )
}

/** The names of a table's columns, to find a column by its heading. */
const columnNames = new WeakMap<TableGrid, ReadonlyMap<string, number>>()
const rowNumbers = new WeakMap<TableGrid, ReadonlyMap<Element, number>>()

/**
 * Returns the cell of a row in a column: by number, counted from 1, or by heading, whatever its
 * case. `null`: the row is not in a table, or has no such cell.
 */
export function cellOf(row: Element, column: number | string, budget: PageBudget): Element | null {
  const table = tableOf(row)
  if (table === null) return null
  const grid = tableGrid(table, budget)
  const number = rowNumbersOf(grid, budget).get(row)
  const position =
    typeof column === 'number'
      ? column - 1
      : once(columnNames, grid, () => namesOf(grid, budget)).get(nameOf(column))
  return number === undefined || position === undefined
    ? null
    : (grid.records[number]?.cells[position] ?? null)
}

/** Returns the heading above a cell of a row. `null`: no heading is above it. */
export function headingOf(cell: Element, budget: PageBudget): string | null {
  const { parent: row } = cell
  if (row === null || !isTag(row)) return null
  const table = tableOf(row)
  if (table === null) return null
  const grid = tableGrid(table, budget)
  const record = grid.records[rowNumbersOf(grid, budget).get(row) ?? -1]
  const heading = grid.headings[record?.cells.indexOf(cell) ?? -1]
  const text = heading === undefined ? '' : headingText(heading, budget)
  return text === '' ? null : text
}

function rowNumbersOf(grid: TableGrid, budget: PageBudget): ReadonlyMap<Element, number> {
  return once(rowNumbers, grid, () => {
    budget.work(grid.records.length)
    return new Map(grid.records.map((record, index) => [record.row, index]))
  })
}

function namesOf({ headings }: TableGrid, budget: PageBudget): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const [index, cells] of headings.entries()) {
    const name = nameOf(headingText(cells, budget))
    if (!names.has(name)) names.set(name, index)
  }
  return names
}

function nameOf(heading: string): string {
  return collapse(heading.normalize('NFKC').toLowerCase())
}

function once<T>(cache: WeakMap<TableGrid, T>, grid: TableGrid, make: () => T): T {
  const cached = cache.get(grid)
  if (cached !== undefined) return cached
  const made = make()
  cache.set(grid, made)
  return made
}

/** Returns the first link of a cell that leads to a page, or `null`. */
export function linkIn(cell: Element, budget: PageBudget): Element | null {
  let link: Element | null = null
  let nodes = 0
  walk(
    cell,
    (node) => {
      nodes++
      if (link !== null) return null
      if (!isTag(node)) return true
      if (isHidden(node)) return false
      if (node.name === 'a' && /^(?!#|javascript:|mailto:|tel:)./i.test(node.attribs['href'] ?? ''))
        link = node
      return true
    },
    () => {},
  )
  budget.work(1 + nodes)
  return link
}

function tableOf(row: Element): Element | null {
  if (row.name !== 'tr') return null
  const { parent } = row
  if (parent === null || !isTag(parent)) return null
  if (parent.name === 'table') return parent
  return parent.parent !== null && isTag(parent.parent) && parent.parent.name === 'table'
    ? parent.parent
    : null
}

/** The rows of the table itself, by row group. No cell spans into the next group. */
function rowGroups(table: Element): Element[][] {
  const groups: Element[][] = []
  let loose: Element[] = []
  for (const child of table.children) {
    if (!isTag(child)) continue
    if (child.name === 'tr') loose.push(child)
    else if (child.name === 'thead' || child.name === 'tbody' || child.name === 'tfoot') {
      if (loose.length > 0) groups.push(loose)
      loose = []
      groups.push(child.children.filter(isTag).filter(({ name }) => name === 'tr'))
    }
  }
  if (loose.length > 0) groups.push(loose)
  return groups
}

function* expand(table: Element, budget: PageBudget): Parts<GridRow[]> {
  const rows: GridRow[] = []
  const pass = new StepParts(budget)
  for (const group of rowGroups(table)) {
    /**
     * Cells of rows above that extend into the next row, by column, with the number of remaining
     * rows.
     */
    let reaching = new Map<number, { readonly cell: Element; readonly left: number }>()
    const shown = group.filter((row) => !isHidden(row))
    for (const row of shown) {
      if (pass.ends()) yield
      budget.unpaid(ROW_STEPS)
      const cells: (Element | null)[] = []
      const below = new Map<number, { readonly cell: Element; readonly left: number }>()
      const reach = (index: number, cell: Element, left: number): void => {
        cells[index] = cell
        if (left > 0) below.set(index, { cell, left })
      }
      for (const [position, { cell, left }] of reaching) reach(position, cell, left - 1)
      let column = 0
      const own = cellsOf(row)
      for (const cell of own) {
        while (cells[column] !== undefined) column++
        const wide = spanOf(cell, 'colspan', 1)
        const high = spanOf(cell, 'rowspan', shown.length)
        for (let end = column + wide; column < end && column < MOST_COLUMNS; column++)
          if (cells[column] === undefined) reach(column, cell, high - 1)
      }
      budget.work(2 + 2 * cells.length)
      // The text is cached, because one cell of a page may occur in very many cells of its grid.
      budget.make(CELL_BYTES * Math.max(0, cells.length - own.length))
      rows.push({ row, cells: Array.from(cells, (cell) => cell ?? null) })
      reaching = below
    }
  }
  return rows
}

/** The shown cells of a row. */
function cellsOf(row: Element): Element[] {
  return row.children
    .filter(isTag)
    .filter((cell) => (cell.name === 'td' || cell.name === 'th') && !isHidden(cell))
}

/** Returns the number of columns or rows that a cell spans. `zero`: the meaning of 0. */
export function spanOf({ attribs }: Element, name: string, zero: number): number {
  const attribute = attribs[name]
  if (attribute === undefined) return 1
  const span = Number.parseInt(attribute, 10)
  return span === 0 ? zero : span > 0 ? Math.min(span, 65_534) : 1
}

function* recordsIn(
  rows: readonly GridRow[],
  headings: readonly GridRow[],
  budget: PageBudget,
): Parts<GridRow[]> {
  const names = new Set(
    headings.flatMap(({ cells }) =>
      [...new Set(cells)].map((cell) => (cell === null ? '' : cellText(cell, budget))),
    ),
  )
  return yield* filterParts(
    rows,
    ({ row, cells }) =>
      widthOf(cells) > 1 &&
      cellsOf(row).some((cell) => cell.name === 'td' || !names.has(cellText(cell, budget))),
    budget,
  )
}

/** The number of different cells in a row. */
function widthOf(cells: readonly (Element | null)[]): number {
  return new Set(cells.filter((cell) => cell !== null)).size
}

/** Returns how many of the first rows are headings. */
function headRows(rows: readonly GridRow[], budget: PageBudget): number {
  const [head, ...body] = rows
  if (head === undefined || !isHead(head, body, budget)) return 0
  let count = 1
  // If a heading spans several rows beside headings that are subdivided, all these rows are
  // headings too.
  const splits = new Set(head.cells).size < head.cells.length
  for (; count < MOST_HEADS && count < rows.length - 1; count++) {
    const [above, next] = [rows[count - 1], rows[count]]
    if (above === undefined || next === undefined) break
    const own = cellsOf(next.row)
    const isBelowHead = isInHead(next.row) || own.every(({ name }) => name === 'th')
    const reaches = splits && next.cells.some((cell) => cell !== null && above.cells.includes(cell))
    if (isInHead(head.row) && !isInHead(next.row)) break
    if (own.length === 0 ? !reaches : !isBelowHead && !(reaches && own.every(isBold))) break
    // A single cell across all columns is the title of a section.
    if (own.length > 0 && widthOf(next.cells) < 2) break
  }
  return count
}

function isHead({ row, cells }: GridRow, body: readonly GridRow[], budget: PageBudget): boolean {
  const own = [...new Set(cells)].filter((cell) => cell !== null)
  const isNamed = (cell: Element): boolean => textStart(cell, 1, budget) !== ''
  if (own.filter(isNamed).length < own.length * 0.5) return false
  if (isInHead(row)) return true
  if (own.every((cell) => cell.name === 'td' && isBold(cell))) return true
  if (own.every((cell) => cell.name === 'td') && areNames(own, body, budget)) return true
  return (
    own.every((cell) => cell.name === 'th' || !isNamed(cell)) &&
    !body.every(({ row: bodyRow }) => cellsOf(bodyRow).every((cell) => cell.name === 'th'))
  )
}

/** Number of rows that are compared with a possible heading. */
const MOST_BELOW_HEAD = 12
/** Minimum number of columns of numbers below a heading without any mark. */
const LEAST_NUMBERS = 2
const NUMBER = /^[^\p{L}\d]{0,3}\d[\d.,:\s%]*[^\p{L}\d]{0,3}$/u

/** Matches a number, or the sign for a missing value. */
const NO_NAME = new RegExp(
  `${NUMBER.source}|^(?:n/?a|none|null|nil|unknown|tb[ad]|[-–—?.]+)$`,
  'iu',
)

/** True for words above columns of numbers, if nothing else marks them as headings. */
function areNames(own: readonly Element[], body: readonly GridRow[], budget: PageBudget): boolean {
  const texts = own.map((cell) => cellText(cell, budget))
  if (texts.some((text) => NO_NAME.test(text) || text.length > LONGEST_NAME)) return false
  if (new Set(texts).size < texts.length || own.some((cell) => linkIn(cell, budget) !== null))
    return false
  const rows = body.slice(0, MOST_BELOW_HEAD).filter(({ cells }) => cells.length === own.length)
  if (rows.length < LEAST_ROWS) return false
  const numbers = own.filter((_, column) =>
    rows.every(({ cells }) => {
      const cell = cells[column]
      return cell !== undefined && cell !== null && NUMBER.test(cellText(cell, budget))
    }),
  )
  return numbers.length >= LEAST_NUMBERS
}

function partsOf({ children }: Element): ChildNode[] {
  return children.filter((child) => isTag(child) || ('data' in child && child.data.trim() !== ''))
}

function isInHead({ parent }: Element): boolean {
  return parent !== null && isTag(parent) && parent.name === 'thead'
}

function isBold(cell: Element): boolean {
  const own = partsOf(cell)
  const [only] = own
  // Word processors put a paragraph into each cell.
  const parts =
    own.length === 1 && only !== undefined && isTag(only) && only.name === 'p' ? partsOf(only) : own
  return (
    parts.length > 0 &&
    parts.every(
      (part) => isTag(part) && (part.name === 'b' || part.name === 'strong' || part.name === 'br'),
    )
  )
}

/** `[3]`, and a raised link to a note further down the page. */
function isFootnoteMark(element: Element, budget: PageBudget): boolean {
  if (element.name !== 'sup') return false
  const only = element.children.length === 1 ? element.children[0] : undefined
  if (only !== undefined && isTag(only) && (only.attribs['href'] ?? '').startsWith('#')) return true
  return /^\[[^[\]]{1,10}\]$/.test(textStart(element, LONGEST_MARK + 1, budget))
}
