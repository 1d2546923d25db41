import type { Json } from '../json.ts'

type Cells = readonly Json[]

/** A column of values: the share of its cells that must be values, and their minimum number. */
export const MOSTLY = 0.8
const LEAST_VALUES = 2
/** Names of a table. */
const LEAST_NAMES = 2
/** Longer texts are not values. */
const LONGEST_VALUE = 40
const YEAR = /^[12]\d{3}$/
/** A day, a month, a time, or a range: `31.12.`, `01/2025`, `06:00`, `0–30`, `90+`. */
const DAY = /^\d{1,4}([-./])\d{1,2}\1(?:\d{1,4})?$/
const RANGE = /\d\.?\s?[-–—/:]\s?\d|^[<>≤≥]\s?\d+$|^\d+\s?\+$/
/** Several whole numbers with the same step may be names, such as sizes or days of a month. */
const WHOLE = /^\d{1,9}$/
const LEAST_SERIES = 3
/** Rows of headings. */
const MOST_HEADINGS = 3
/** Maximum number of lines above the names of the columns. */
const MOST_TITLE = 20

/** True for a number, a date or an amount: a text with digits and without letters. */
export function isValue(cell: Json | undefined): boolean {
  if (typeof cell !== 'string') return typeof cell === 'number'
  return cell.length <= LONGEST_VALUE && /\d/.test(cell) && !/\p{L}/u.test(cell)
}

/** True for a cell that may name a column: a text, or a year. */
export function mayName(cell: Json | undefined): boolean {
  return !isValue(cell) || YEAR.test(String(cell))
}

/** Like {@link mayName}, and also true for a time above a cell that is not a time. */
export function mayStandAbove(cell: Json, below: Json): boolean {
  return mayName(cell) || (isSpan(cell) && !isSpan(below))
}

/** True for a day, a time, and a range of numbers or times. */
export function isSpan(cell: Json): boolean {
  return isDay(cell) || (isValue(cell) && RANGE.test(String(cell)))
}

/** True for a day, with its year or without. */
export function isDay(cell: Json): boolean {
  return isValue(cell) && DAY.test(String(cell))
}

/**
 * True if the values of a row are numbers with the same step from one to the next: `Size`, `36`,
 * `37`, `38`.
 */
export function isSeries(cells: Cells): boolean {
  const values = cells.filter((cell) => isValue(cell)).map(String)
  if (values.length < LEAST_SERIES || !values.every((value) => WHOLE.test(value))) return false
  const [first = 0, second = 0] = values.map(Number)
  const step = second - first
  return step !== 0 && values.every((value, index) => Number(value) === first + step * index)
}

/** Counts the rows above the names of the columns. Each such row has one text, such as a title. */
export function titleRows(rows: readonly Cells[]): number {
  const start = rows.slice(0, MOST_TITLE).findIndex((cells) => distinctTexts(cells).length > 1)
  return start === -1 ? 0 : start
}

/** The different texts of a row, in order. */
export function distinctTexts(cells: Cells): string[] {
  return [...new Set(cells.flatMap((cell) => (isWritten(cell) ? [`${cell}`] : [])))]
}

function isWritten(cell: Json | undefined): boolean {
  return cell !== undefined && cell !== null && cell !== ''
}

function isText(cell: Json | undefined): cell is string {
  return typeof cell === 'string' && cell !== '' && !isValue(cell)
}

/**
 * Counts the values and texts of a table's columns, row by row, to notice where another table
 * begins below.
 */
export class ColumnCounts {
  readonly #values: number[] = []
  readonly #written: number[] = []
  #records = 0

  /** Counts a row of the table. Do not call it for the row of names. */
  add(record: Cells): void {
    this.#records++
    for (const [column, cell] of record.entries()) {
      this.#written[column] = (this.#written[column] ?? 0) + (isWritten(cell) ? 1 : 0)
      this.#values[column] = (this.#values[column] ?? 0) + (isValue(cell) ? 1 : 0)
    }
  }

  /**
   * True if a row begins another table: it has names in all columns of values, of which there are
   * at least two, and the next row has values there. A row with one text among numbers is a record,
   * because `free` is a price too.
   */
  areNamesIn(row: Cells, after: Cells): boolean {
    if (!mayBeNames(row)) return false
    let values = 0
    for (const [column, cells] of this.#written.entries()) {
      const count = this.#values[column] ?? 0
      if (count < LEAST_VALUES || count < MOSTLY * cells) continue
      if (!isText(row[column]) || !isValue(after[column])) return false
      values++
    }
    return values >= LEAST_VALUES
  }

  /**
   * True if a row below a gap begins a table with other columns. In such a table, this row and the
   * next have no cell in a column that all records have. And values stand below a text in a column
   * that has values in no record.
   */
  areOthersIn(row: Cells, after: Cells): boolean {
    if (this.#records < LEAST_VALUES || !mayBeNames(row)) return false
    let [leavesOut, changes] = [false, false]
    for (const [column, count] of this.#written.entries()) {
      const [name, value] = [row[column], after[column]]
      if (count === this.#records && !isWritten(name) && !isWritten(value)) leavesOut = true
      if (isText(name) && isValue(value) && this.#values[column] === 0) changes = true
    }
    return leavesOut && changes
  }
}

/** True if all filled cells of a row are texts, and all of them differ. */
function mayBeNames(row: Cells): boolean {
  const cells = row.filter(isWritten)
  return cells.length >= LEAST_NAMES && cells.every(isText) && new Set(cells).size === cells.length
}

/**
 * Joins the rows of names of a table into one row. A name above several columns and the names below
 * it become `2025 Units`, `2025 Value`. `isWide`: whether a row has a cell above several columns.
 * Equal names may also be in separate cells.
 */
export function joinHeadings(
  rows: readonly Cells[],
  isWide: (row: number) => boolean,
): readonly Cells[] {
  let joined = rows
  for (let count = 1; count < MOST_HEADINGS; count++) {
    const [first, second, ...rest] = joined
    if (first === undefined || second === undefined || rest.length === 0) break
    if (!isWide(count - 1) || !namesParts(first, second)) break
    joined = [first.map((name, column) => nameOf(name, second[column] ?? null)), ...rest]
  }
  return joined
}

/** Counts the rows of names at the beginning of a table, which {@link joinHeadings} joins to one. */
export function headingRows(rows: readonly Cells[]): number {
  const first = rows.slice(0, MOST_HEADINGS + 1)
  return Math.min(rows.length, 1 + first.length - joinHeadings(first, () => true).length)
}

function nameOf(above: Json, below: Json): Json {
  if (!isWritten(below) || below === above) return above
  return isWritten(above) ? `${above} ${below}` : below
}

/** True if the second row names the parts of the names in the first one. */
export function namesParts(first: Cells, second: Cells): boolean {
  let hasParts = false
  for (let start = 0; start < first.length;) {
    const name = first[start] ?? null
    let end = start + 1
    if (isWritten(name)) while (end < first.length && first[end] === name) end++
    const below = second.slice(start, end)
    if (!below.every(mayName)) return false
    if (end - start > 1) {
      if (!below.every(isWritten)) return false
      if (new Set(below).size < below.length) return false
      hasParts = true
    } else {
      const [only = null] = below
      if (only !== name && isWritten(only) && isWritten(name)) return false
    }
    start = end
  }
  return hasParts
}
