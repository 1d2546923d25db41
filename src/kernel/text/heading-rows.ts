import type { Json } from '../json.ts'

type Cells = readonly Json[]

/** Share of a column's cells that are values, and how many are needed at least. */
const MOSTLY = 0.8
const LEAST_VALUES = 2
/** Names of a table. */
const LEAST_NAMES = 2
/** Rows of a table that are looked at. */
const MOST_READ = 200
/** A longer text is no value. */
const LONGEST_VALUE = 40
const YEAR = /^[12]\d{3}$/
/** Rows of headings. */
const MOST_HEADINGS = 3

/** True for a number, a date or an amount: a text with digits and without letters. */
function isValue(cell: Json | undefined): boolean {
  if (typeof cell !== 'string') return typeof cell === 'number'
  return cell.length <= LONGEST_VALUE && /\d/.test(cell) && !/\p{L}/u.test(cell)
}

function isWritten(cell: Json | undefined): boolean {
  return cell !== undefined && cell !== null && cell !== ''
}

function isText(cell: Json | undefined): cell is string {
  return typeof cell === 'string' && cell !== '' && !isValue(cell)
}

/**
 * True if a row below a table begins another one: it has names where the table has values, or the
 * row after it has values where the table has texts. `records` are the rows of that table, without
 * its names.
 */
export function beginsTable(records: readonly Cells[], row: Cells, after: Cells = []): boolean {
  const read = records.slice(0, MOST_READ)
  const texts = row.filter(isText).length
  if (texts < LEAST_NAMES || texts < row.filter(isWritten).length) return false
  let [named, values, changed] = [0, 0, 0]
  for (let column = 0; column < row.length; column++) {
    const cells = read.flatMap((record) => record[column] ?? [])
    const count = cells.filter(isValue).length
    if (isText(row[column]) && isValue(after[column]) && count === 0) changed++
    if (count < LEAST_VALUES || count < MOSTLY * cells.length) continue
    values++
    if (isWritten(row[column])) named++
  }
  return changed > 0 || (values > 0 && named === values)
}

/**
 * Joins the rows of names of a table to one: cells of a name that stands above several columns, and
 * the names of these below it, become `2025 Units`, `2025 Value`.
 */
export function joinHeadings(rows: readonly Cells[]): readonly Cells[] {
  let joined = rows
  for (let count = 1; count < MOST_HEADINGS; count++) {
    const [first, second, ...rest] = joined
    if (first === undefined || second === undefined || rest.length === 0) break
    if (!namesParts(first, second)) break
    joined = [first.map((name, column) => nameOf(name, second[column] ?? null)), ...rest]
  }
  return joined
}

function nameOf(above: Json, below: Json): Json {
  if (!isWritten(below) || below === above) return above
  return isWritten(above) ? `${above} ${below}` : below
}

/** True if the second row names the parts of what the first one names. */
function namesParts(first: Cells, second: Cells): boolean {
  let hasParts = false
  for (let start = 0; start < first.length;) {
    const name = first[start] ?? null
    let end = start + 1
    if (isWritten(name)) while (end < first.length && first[end] === name) end++
    const below = second.slice(start, end)
    if (below.some((cell) => isValue(cell) && !YEAR.test(String(cell)))) return false
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
