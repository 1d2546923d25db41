import {
  isValue,
  mayName,
  mayStandAbove,
  MOSTLY,
  namesParts,
} from '../../../src/kernel/text/heading-rows.ts'
import { childrenOf, endCells, gridOf, textIn } from './cell-grid.ts'
import type { GridCell } from './cell-grid.ts'

/** Minimum number of names in a row of names, and maximum length of a name. */
const LEAST_NAMES = 2
const LONGEST_NAME = 200
/**
 * Minimum number of values in a column whose first text is a name. A table of two columns may have
 * names in one column and values in the other.
 */
const LEAST_VALUES = 2
const LEAST_COLUMNS = 3
/**
 * Maximum number of rows that are checked, of rows of names, and of columns whose names may have
 * parts.
 */
const MOST_READ = 100
const MOST_HEADINGS = 3
const MOST_COLUMNS = 1_000

type Grid = readonly (readonly GridCell[])[]

/** Marks the rows of names of tables in a document of mammoth. Few writers mark these rows. */
export function withHeadings(part: unknown): unknown {
  for (const child of childrenOf(part)) withHeadings(child)
  if (Reflect.get(Object(part), 'type') === 'table') markHeadings(childrenOf(part))
  return part
}

/** Marks the first row if it has names, and the rows below with the parts of its names. */
function markHeadings(rows: readonly unknown[]): void {
  const read = rows.slice(0, MOST_READ)
  const grid = gridOf(read)
  const marked = rows.findIndex((row) => !isMarked(row))
  const count = rows.some(isMarked) ? withReached(grid, marked) : headingsOf(read, grid)
  if (count < 1 || count >= read.length) return
  for (const row of rows.slice(0, count)) Reflect.set(Object(row), 'isHeader', true)
  endCells(rows, { grid, count })
}

function isMarked(row: unknown): boolean {
  return Reflect.get(Object(row), 'isHeader') === true
}

/**
 * Counts the rows of names that a writer has marked, including rows to which their cells reach
 * down.
 */
function withReached(grid: Grid, marked: number): number {
  let count = marked
  while (count > 0 && mayGoOn(grid, count) && isReached(grid, count) && isSure(grid, count)) count++
  return count
}

/**
 * Counts the first rows that have another format than the rows below, or have texts above values. A
 * row with another format is counted only if it cannot be a record.
 */
function headingsOf(rows: readonly unknown[], grid: Grid): number {
  const [first, ...others] = rows.map(childrenOf)
  if (first === undefined) return 0
  const texts = first.map(textIn)
  if (new Set(texts.filter((text) => text !== '')).size < LEAST_NAMES) return 0
  const looksUnlike = isUnlike(first, others)
  // In a row with another format, times may be names too.
  const areNames = looksUnlike ? areNamesIn(grid, 0) : texts.every(isName)
  if (!areNames) return 0
  let count = 1
  while (mayGoOn(grid, count) && goesOn(grid, count)) count++
  if (!looksUnlike) return isAboveValues(grid, count) ? count : 0
  const look = lookOfAll(first)
  const end = others.findIndex((row) => lookOfAll(row) !== look)
  const alike = end === -1 ? count : end + 1
  while (count > alike && !isSure(grid, count - 1)) count--
  return count
}

function mayGoOn(grid: Grid, count: number): boolean {
  return count < Math.min(MOST_HEADINGS, grid.length - 1)
}

/** True if a name above a row reaches down to it, or has its parts there. */
function goesOn(grid: Grid, row: number): boolean {
  return (areNamesIn(grid, row) && isReached(grid, row)) || hasParts(grid, row)
}

/**
 * True if a name above reaches down to a row, but no further. A cell that reaches further is beside
 * records.
 */
function isReached(grid: Grid, row: number): boolean {
  return (grid[row] ?? []).some(
    ({ isCovered, text, end }) =>
      isCovered && text !== '' && end <= MOST_HEADINGS && end < grid.length,
  )
}

function hasParts(grid: Grid, row: number): boolean {
  const [above = [], own = []] = grid.slice(row - 1, row + 1)
  if (!above.some(({ width }) => width > 1) || !own.every(({ text }) => isName(text))) return false
  if (Math.max(widthOf(above), widthOf(own)) > MOST_COLUMNS) return false
  return namesParts(cellsOf(above), cellsOf(own))
}

/** True if a row that looks like the records below it has names for another reason. */
function isSure(grid: Grid, row: number): boolean {
  const above = (grid[row - 1] ?? []).filter(({ width }) => width > 1)
  const columns = valueColumns(grid, { names: row, headings: row + 1 })
  if (isReached(grid, row)) return columns.length > 0 || (above.length > 0 && areNamesIn(grid, row))
  if (above.length === 0) return false
  const under = above.map(({ column: start, width }) => ({ start, end: start + width }))
  if (under.every(({ start, end }) => columns.some((column) => column >= start && column < end)))
    return columns.length >= LEAST_NAMES
  // Below each name the parts have the same names.
  const parts = under.map(({ start, end }) =>
    JSON.stringify(
      (grid[row] ?? []).flatMap(({ column, text }) =>
        column >= start && column < end ? [text] : [],
      ),
    ),
  )
  return parts.length > 1 && new Set(parts).size === 1
}

/** True if all texts of a row are names, or times above texts that are not times. */
function areNamesIn(grid: Grid, row: number): boolean {
  const below = new Map(grid[row + 1]?.map(({ column, text }) => [column, text]))
  return (grid[row] ?? []).every(
    ({ column, text }) => isName(text) || mayStandAbove(text, below.get(column) ?? null),
  )
}

/** The text of each column. */
function cellsOf(cells: readonly GridCell[]): string[] {
  return cells.flatMap(({ text, width }) => Array.from({ length: width }, () => text))
}

function widthOf(cells: readonly GridCell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0)
}

/** True if all cells of a row are bold, or have a style, unlike most rows below it. */
function isUnlike(cells: readonly unknown[], others: readonly (readonly unknown[])[]): boolean {
  const look = lookOfAll(cells)
  if (look === null || look === '') return false
  return others.filter((row) => lookOfAll(row) === look).length * 2 < others.length
}

/** The common format of the texts of all cells. `null`: they differ, or there are no texts. */
function lookOfAll(cells: readonly unknown[]): string | null {
  const looks = new Set(cells.flatMap((cell) => lookOf(cell, '') ?? []))
  const [look = null] = looks
  return looks.size === 1 ? look : null
}

/** The styles of the first text, and whether it is bold. Empty: it is plain. */
function lookOf(part: unknown, around: string): string | null {
  const { value, styleId, isBold, type } = Object(part)
  const look = `${around}${styleId ?? ''}${isBold === true ? '*' : ''}`
  if (typeof value === 'string') return value.trim() === '' ? null : look
  if (type === 'table') return null
  for (const child of childrenOf(part)) {
    const own = lookOf(child, look)
    if (own !== null) return own
  }
  return null
}

/**
 * True if a column has a name in the first row, and mostly values below the headings. In a table of
 * two columns the first one may have the names: `Name | Ann`, `Price | 2`.
 */
function isAboveValues(grid: Grid, headings: number): boolean {
  const columns = new Set(
    grid.flatMap((row) => row.flatMap(({ column, isCovered }) => (isCovered ? [] : [column]))),
  )
  return columns.size >= LEAST_COLUMNS && valueColumns(grid, { names: 0, headings }).length > 0
}

/** The columns that have a name in a row, and mostly values below the headings. */
function valueColumns(
  grid: Grid,
  { names: nameRow, headings }: { readonly names: number; readonly headings: number },
): number[] {
  const names = new Map<number, string>()
  for (const { column, text, isCovered } of grid[nameRow] ?? [])
    if (!isCovered && text !== '') names.set(column, text)
  const values = new Map<number, number>()
  const counts = new Map<number, number>()
  for (const { column, text, isCovered } of grid.slice(headings).flat()) {
    if (isCovered || text === '') continue
    counts.set(column, (counts.get(column) ?? 0) + 1)
    // A year above amounts is a name. A year above years is a value like them.
    const isAlike = isValue(names.get(column)) && mayName(text)
    if (isValue(text) && !isAlike) values.set(column, (values.get(column) ?? 0) + 1)
  }
  return [...values].flatMap(([column, count]) =>
    count >= LEAST_VALUES && count >= MOSTLY * (counts.get(column) ?? 0) && names.has(column)
      ? [column]
      : [],
  )
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && mayName(text)
}
