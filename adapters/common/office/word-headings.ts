import { isValue, mayName, MOSTLY, namesParts } from '../../../src/kernel/text/heading-rows.ts'

/** Names of a table that has names, and the longest name. */
const LEAST_NAMES = 2
const LONGEST_NAME = 200
/** Values of a column whose first text is a name. A table of two columns may be names and values. */
const LEAST_VALUES = 2
const LEAST_COLUMNS = 3
/** Rows of a table that are looked at, rows of names, and columns whose names may have parts. */
const MOST_READ = 100
const MOST_HEADINGS = 3
const MOST_COLUMNS = 1_000

/** A cell of a row, and the columns that it covers. */
interface Cell {
  readonly column: number
  readonly width: number
  readonly text: string
  /** Whether its cell began in a row above. */
  readonly isCovered: boolean
}

/** Marks the rows of names of tables in a document of mammoth. Few writers say which rows these are. */
export function withHeadings(part: unknown): unknown {
  for (const child of childrenOf(part)) withHeadings(child)
  if (Reflect.get(Object(part), 'type') === 'table') markHeadings(childrenOf(part))
  return part
}

/**
 * Marks the first row where it looks unlike the rows below it, or has texts above values; and the
 * rows below that name the parts of its names.
 */
function markHeadings(rows: readonly unknown[]): void {
  if (rows.some((row) => Reflect.get(Object(row), 'isHeader') === true)) return
  const read = rows.slice(0, MOST_READ)
  const [first, ...others] = read.map(childrenOf)
  if (first === undefined) return
  const texts = first.map(textIn)
  if (new Set(texts.filter((text) => text !== '')).size < LEAST_NAMES || !texts.every(isName))
    return
  const table = rowsOfCells(read)
  let count = 1
  while (count < Math.min(MOST_HEADINGS, rows.length - 1) && goesOn(table, count)) count++
  if (isUnlike(first, others)) {
    const look = lookOfAll(first)
    const end = others.findIndex((row) => lookOfAll(row) !== look)
    if (end !== -1) count = Math.min(count, end + 1)
  } else if (!isAboveValues(table, count)) return
  for (const row of rows.slice(0, count)) Reflect.set(Object(row), 'isHeader', true)
}

/** True if a name above a row reaches down to it, or has the names of its parts there. */
function goesOn(rows: readonly (readonly Cell[])[], row: number): boolean {
  const [above = [], own = []] = rows.slice(row - 1, row + 1)
  if (!own.every(({ text }) => isName(text))) return false
  if (own.some(({ isCovered, text }) => isCovered && text !== '')) return true
  if (!above.some(({ width }) => width > 1)) return false
  if (Math.max(widthOf(above), widthOf(own)) > MOST_COLUMNS) return false
  return namesParts(textsOf(above), textsOf(own))
}

/** The text of each column. */
function textsOf(cells: readonly Cell[]): string[] {
  return cells.flatMap(({ text, width }) => Array.from({ length: width }, () => text))
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, { width }) => sum + width, 0)
}

/** True if all cells of a row are bold, or have a style, that most rows below it do not have. */
function isUnlike(cells: readonly unknown[], others: readonly (readonly unknown[])[]): boolean {
  const look = lookOfAll(cells)
  if (look === null || look === '') return false
  return others.filter((row) => lookOfAll(row) === look).length * 2 < others.length
}

/** The look of the texts of all cells. `null`: they differ, or there are no texts. */
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
function isAboveValues(rows: readonly (readonly Cell[])[], headings: number): boolean {
  const names = new Map<number, string>()
  const values = new Map<number, number>()
  const counts = new Map<number, number>()
  const columns = new Set<number>()
  for (const [index, cells] of rows.entries())
    for (const { column, text, isCovered } of cells) {
      if (isCovered) continue
      columns.add(column)
      if (text === '') continue
      if (index === 0) names.set(column, text)
      else if (index >= headings) {
        counts.set(column, (counts.get(column) ?? 0) + 1)
        // A year names amounts. Above years it is one of them.
        const isAlike = isValue(names.get(column)) && mayName(text)
        if (isValue(text) && !isAlike) values.set(column, (values.get(column) ?? 0) + 1)
      }
    }
  if (columns.size < LEAST_COLUMNS) return false
  return [...values].some(
    ([column, count]) =>
      count >= LEAST_VALUES && count >= MOSTLY * (counts.get(column) ?? 0) && names.has(column),
  )
}

/** The cells of rows with the columns in which they begin, as cells above may cover some. */
function rowsOfCells(rows: readonly unknown[]): (readonly Cell[])[] {
  const covered = new Map<number, { readonly cell: Cell; rows: number }>()
  return rows.map((row) => {
    const cells: Cell[] = []
    let column = 0
    const pass = (): void => {
      for (let above = covered.get(column); above !== undefined; above = covered.get(column)) {
        if (--above.rows === 0) covered.delete(column)
        cells.push(above.cell)
        column += above.cell.width
      }
    }
    for (const part of childrenOf(row)) {
      pass()
      const [width, height] = [spanOf(part, 'colSpan'), spanOf(part, 'rowSpan')]
      const cell = { column, width, text: textIn(part), isCovered: false }
      cells.push(cell)
      if (height > 1) covered.set(column, { cell: { ...cell, isCovered: true }, rows: height - 1 })
      column += width
    }
    pass()
    return cells
  })
}

function spanOf(cell: unknown, name: 'colSpan' | 'rowSpan'): number {
  const span = Number(Reflect.get(Object(cell), name) ?? 1)
  return span >= 1 ? span : 1
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && mayName(text)
}

function childrenOf(part: unknown): readonly unknown[] {
  const children: unknown = Reflect.get(Object(part), 'children')
  return Array.isArray(children) ? children : []
}

/** The text of a part, without that of tables in it. */
function textIn(part: unknown): string {
  if (Reflect.get(Object(part), 'type') === 'table') return ''
  const value: unknown = Reflect.get(Object(part), 'value')
  return typeof value === 'string' ? value.trim() : childrenOf(part).map(textIn).join('').trim()
}
