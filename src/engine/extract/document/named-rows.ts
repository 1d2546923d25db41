import type { Json, Row } from '../../../kernel/json.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import { VALUE_ROOM } from '../page/parse-json.ts'
import { collapse } from '../tree/text-content.ts'

/** Maximum columns of rows that share one shape. Copying wider rows takes longer than making each. */
const MAX_SHAPED = 128

/** Maximum number of members added for missing cells. */
const MAX_FILLED = 2_000_000

/** Steps to copy a cell. */
const CELL_STEPS = 4

/** The cells of one record. `null`: an empty cell. */
export type Cells = readonly Json[]

/**
 * Returns one object per record. The first record names the members if it is a header; without one
 * they are `c1`, `c2`… Cells beyond the header are kept (`c4`). Empty and missing cells are `null`.
 * `header`: whether there is a header. Absent: it is detected.
 *
 * @throws {PageTooCostly}
 */
export function* namedRows(
  all: readonly Cells[],
  budget: PageBudget,
  header?: boolean,
): Parts<readonly Row[]> {
  const [first, second] = all
  if (first === undefined) return []
  const isNamed = header ?? hasHeader(first, second)
  const names = new ColumnNames(isNamed ? first : [])
  const records = isNamed ? all.slice(1) : all
  // Missing cells are not added if a long header stands above very many short records, because the
  // output would grow to the product of both.
  const width = first.length * records.length <= MAX_FILLED ? first.length : 0
  const isUsual = first.length <= MAX_SHAPED
  const empty = isUsual ? emptyRow(names, first.length) : null
  const rows: Row[] = []
  const pass = new StepParts(budget)
  for (const record of records) {
    if (pass.ends()) yield
    budget.make(VALUE_ROOM * Math.max(0, width - record.length))
    budget.unpaid(CELL_STEPS * Math.max(width, record.length))
    const isWhole = width > 0 || record.length === first.length
    rows.push(rowOf(names, record, width, isWhole ? empty : null))
  }
  return rows
}

/**
 * A row of the usual columns without values. Copies of it share one shape; other objects would each
 * become a dictionary.
 */
function emptyRow(names: ColumnNames, width: number): Row {
  return JSON.parse(
    JSON.stringify(
      Object.fromEntries(Array.from({ length: width }, (_, index) => [names.at(index), null])),
    ),
  )
}

function rowOf(names: ColumnNames, record: Cells, width: number, empty: Row | null): Row {
  const row: Record<string, Json> = { ...empty }
  // Yields one cell after another. An empty text becomes `null`.
  for (let index = 0; index < record.length || index < width; index++) {
    const cell = record[index]
    row[names.at(index)] = cell === undefined || cell === '' ? null : cell
  }
  return row
}

const LONGEST = 128

/**
 * Unique names for a table's columns: the header's text, `c3` for a third column without one,
 * `price_2` for a second `price`. Columns beyond the header continue with `c4`.
 */
class ColumnNames {
  readonly #names: string[] = []
  readonly #usedNames = new Set<string>()
  /** The last number appended to each name. */
  readonly #numbers = new Map<string, number>()

  constructor(header: Cells = []) {
    for (const cell of header) this.#add(textOf(cell))
  }

  get length(): number {
    return this.#names.length
  }

  /** Returns the name of the column at this index, from 0. */
  at(index: number): string {
    while (this.#names.length <= index) this.#add('')
    return this.#names[index] ?? ''
  }

  #add(heading: string): void {
    const text = collapse(heading).slice(0, LONGEST).toWellFormed()
    // An object cannot have this name as an ordinary member.
    const base = text === '' || text === '__proto__' ? `c${this.#names.length + 1}` : text
    let name = base
    while (this.#usedNames.has(name)) {
      const number = (this.#numbers.get(base) ?? 1) + 1
      this.#numbers.set(base, number)
      name = `${base}_${number}`
    }
    this.#usedNames.add(name)
    this.#names.push(name)
  }
}

const NUMBER = /^[+-]?[\d.,]*\d\s?%?$/
const YEAR = /^[12]\d{3}$/
const DATE = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:\D|$)/
const ADDRESS = /^(?:https?:\/\/\S|[^\s@]{1,64}@[^\s@]{1,255}$)/i

/**
 * True if a file begins with its column names. A number, a date or an address is a value, so the
 * row is not one of names. But a year above another kind of value is a name.
 */
function hasHeader(first: Cells, second: Cells | undefined): boolean {
  return first.every((cell, index) => {
    const text = textOf(cell).trim()
    const below = textOf(second?.[index] ?? null).trim()
    if (YEAR.test(text) && second !== undefined) return !YEAR.test(below)
    if (DATE.test(text) && isAmount(below)) return true
    return text.length > 400 || !(NUMBER.test(text) || DATE.test(text) || ADDRESS.test(text))
  })
}

function isAmount(text: string): boolean {
  return NUMBER.test(text) && !DATE.test(text) && !YEAR.test(text)
}

function textOf(cell: Json): string {
  return typeof cell === 'string' ? cell : cell === null ? '' : JSON.stringify(cell)
}
