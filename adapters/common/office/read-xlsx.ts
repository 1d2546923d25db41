import { readXlsx as readWorkbook } from 'hucre/xlsx'
import type { CellValue, Sheet } from 'hucre/xlsx'
import { ColumnCounts } from '../../../src/kernel/text/heading-rows.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { DocumentTable, DocumentText } from '../../../src/ports/document-reader.ts'
import type { PageSpent, WorkBudget } from '../../../src/ports/page-limits.ts'
import { unpack } from './unpack.ts'

/** Limits of one workbook: cells of all sheets, columns of a row, characters of its text. */
const MOST_CELLS = 1_000_000
const MOST_COLUMNS = 1_000
const MOST_CHARACTERS = 1_000_000
const MOST_SHEETS = 500
/** The part of the budget for unpacking; the rows get the rest. */
const UNPACKING = 0.75
const COSTS = { tagSteps: 3, tagBytes: 0 }
/** Minimum number of rows of a table, including its names. Below that, another table may begin. */
const LEAST_ROWS = 2
/** Dates of a workbook count from this day. */
const FIRST_DAY = Date.UTC(1900, 0, 1)
/** Durations count from this day. Durations of more than 59 days are written as dates. */
const NO_TIME = Date.UTC(1899, 11, 31)
const LONGEST_TIME = Date.UTC(1900, 2, 1)
const HOUR = 3_600_000
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/
/**
 * Replaces a sheet for which the budget is too small. Its only cell distinguishes it from an empty
 * sheet.
 */
const LEFT_OUT = 'seine: this sheet was not read'
const STAND_IN =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>' +
  `<row r="1"><c r="A1" t="inlineStr"><is><t>${LEFT_OUT}</t></is></c></row></sheetData></worksheet>`
/** Steps and bytes of a cell, besides its text. */
const CELL_STEPS = 4
const CELL_BYTES = 4

type Cells = readonly Json[]
type SheetTable = Required<Pick<DocumentTable, 'rows' | 'wide'>>

interface SheetTables {
  readonly parts: readonly SheetTable[]
  /** True if rows are missing, and true if columns are missing. */
  readonly lacksRows: boolean
  readonly lacksColumns: boolean
}

interface SheetText {
  readonly text: string
  readonly isCut: boolean
}

/** The tables of a sheet. `page`: its number, from 1. */
interface ReadSheet {
  readonly page: number
  readonly name: string
  readonly parts: readonly SheetTable[]
}

/**
 * Reads a workbook: the tables of its sheets, and the text of each sheet. Hidden parts are left
 * out, as on a web page. Each cell of a merged range has its value. A formula has the value that it
 * had when the file was saved.
 *
 * Once the budget is used up, the sheets are those that were read until then.
 *
 * @throws {PageTooCostly} if nothing was read until then
 * @throws {Error} if the file is not a workbook, is damaged or is encrypted
 */
export async function readXlsx(
  body: Uint8Array,
  openBudget: (part: number, spent?: PageSpent) => WorkBudget,
): Promise<DocumentText> {
  const unpacking = openBudget(UNPACKING)
  const bytes = await unpack(body, unpacking, COSTS, (name) => (SHEET.test(name) ? STAND_IN : null))
  const budget = openBudget(1, unpacking.handOver())
  let visible = 0
  const { sheets, properties } = await readWorkbook(bytes, {
    sheets: ({ hidden, veryHidden }) => !hidden && !veryHidden && ++visible <= MOST_SHEETS,
  })
  const read: ReadSheet[] = []
  let left = MOST_CELLS
  let [lacksRows, lacksColumns, lacksText] = [false, false, false]
  for (const [position, sheet] of sheets.entries()) {
    if (sheet.rows[0]?.[0] === LEFT_OUT) continue
    const tables = budget.attempt('document', () => paidTables(sheet, left, budget), null)
    if (tables === null) break
    const { parts } = tables
    lacksRows = tables.lacksRows
    // A sheet counts as unread if the budget was too small even for its first row.
    if (lacksRows && parts.every(({ rows }) => rows.length === 0)) break
    lacksColumns ||= tables.lacksColumns
    for (const { rows } of parts) left -= rows.reduce((sum, cells) => sum + cells.length, 0)
    read.push({ page: position + 1, name: sheet.name, parts })
    if (lacksRows) break
  }
  const texts: string[] = []
  let length = 0
  for (const { page, name, parts } of read) {
    const whole = budget.attempt(
      'document',
      () => paidText(name, parts, MOST_CHARACTERS - length, budget),
      null,
    )
    if (whole === null) break
    // A sheet that was not read has an empty text, so that the position of each text is the number
    // of its sheet.
    while (texts.length < page - 1) texts.push('')
    length += whole.text.length
    texts.push(whole.text)
    lacksText = whole.isCut
    if (lacksText) break
  }
  const spent = budget.handOver()
  const columnCut = { what: 'columns of a document', limit: MOST_COLUMNS, where: 'page' }
  return {
    title: properties?.title ?? null,
    author: properties?.creator ?? null,
    date: properties?.created?.toISOString() ?? null,
    language: null,
    pages: visible,
    pagesRead: read.length,
    ...(lacksText && { cutAt: MOST_CHARACTERS }),
    ...(lacksRows && { cellsCutAt: MOST_CELLS }),
    text: texts.filter((text) => text !== '').join('\n\n'),
    texts,
    tables: read.flatMap(({ page, name, parts }) =>
      parts.map(({ rows, wide }) => ({ name, page, rows, wide })),
    ),
    spent: lacksColumns ? { ...spent, cuts: [...(spent.cuts ?? []), columnCut] } : spent,
  }
}

/** The tables of a sheet, after its cells are paid for. */
function paidTables(sheet: Sheet, most: number, budget: WorkBudget): SheetTables {
  for (const cells of sheet.rows) budget.work(CELL_STEPS * (cells.length + 1))
  const tables = tablesOf(sheet, most, budget)
  for (const cells of tables.parts.flatMap(({ rows }) => rows)) {
    let length = 0
    for (const cell of cells) length += typeof cell === 'string' ? cell.length : 0
    budget.work(length)
    budget.make(CELL_BYTES * cells.length + length)
  }
  return tables
}

function paidText(
  name: string,
  tables: readonly SheetTable[],
  most: number,
  budget: WorkBudget,
): SheetText {
  const whole = textOf(name, tables, most)
  budget.work(whole.text.length)
  budget.make(whole.text.length)
  return whole
}

/**
 * Rows with a value, without hidden ones, and without columns that are hidden or empty. Another
 * table may begin below an empty row.
 */
function tablesOf(sheet: Sheet, most: number, budget: WorkBudget): SheetTables {
  const isHidden = (index: number): boolean => sheet.rowDefs?.get(index)?.hidden === true
  const used = new Set<number>()
  const rows = withMerged(sheet, budget).flatMap((cells, index) => {
    if (isHidden(index) || !cells.some(isWritten)) return []
    for (const [position, cell] of cells.entries()) if (isWritten(cell)) used.add(position)
    return [{ cells, index }]
  })
  const shown = [...used]
    .filter((index) => sheet.columns?.[index]?.hidden !== true)
    .toSorted((a, b) => a - b)
  const columns = shown.slice(0, MOST_COLUMNS)
  /** Rows in which a cell begins that is merged with others beside it. */
  const wideRows = new Set(
    (sheet.merges ?? []).flatMap((merge) =>
      merge.endCol > merge.startCol ? [merge.startRow] : [],
    ),
  )
  const tables: SheetTable[] = []
  let table: Cells[] = []
  let wide: number[] = []
  let counts = new ColumnCounts()
  const shownRows = rows.slice(0, Math.floor(most / Math.max(1, columns.length)))
  const lengths = new Set(columns.filter((column) => isOfLengths(shownRows, column)))
  const values = shownRows.map(({ cells }) =>
    columns.map((column) => valueOf(cells[column] ?? null, lengths.has(column))),
  )
  for (const [position, row] of values.entries()) {
    const index = shownRows[position]?.index ?? 0
    const isBelowGap = !isHidden(index - 1) && shownRows[position - 1]?.index !== index - 1
    const after = values[position + 1] ?? []
    budget.work(CELL_STEPS * row.length)
    if (
      isBelowGap &&
      table.length >= LEAST_ROWS &&
      (counts.areNamesIn(row, after) || counts.areOthersIn(row, after))
    ) {
      tables.push({ rows: table, wide })
      table = []
      wide = []
      counts = new ColumnCounts()
    }
    if (table.length > 0) counts.add(row)
    if (wideRows.has(index)) wide.push(table.length)
    table.push(row)
  }
  return {
    parts: [...tables, { rows: table, wide }].map((whole) => ({
      ...whole,
      rows: withoutEmptyColumns(whole.rows),
    })),
    lacksRows: shownRows.length < rows.length,
    lacksColumns: columns.length < shown.length,
  }
}

function withoutEmptyColumns(rows: readonly Cells[]): Cells[] {
  const used = new Set<number>()
  for (const cells of rows)
    for (const [position, cell] of cells.entries()) if (isWritten(cell)) used.add(position)
  return rows.map((cells) => cells.filter((_, position) => used.has(position)))
}

/** The rows of a sheet. All cells of a merged range have the value of the first. */
function withMerged(
  { rows, merges = [] }: Sheet,
  budget: WorkBudget,
): readonly (readonly CellValue[])[] {
  if (merges.length === 0) return rows
  const filled = rows.map((cells) => [...cells])
  let left = MOST_CELLS
  for (const { startRow, startCol, endRow, endCol } of merges) {
    budget.work(CELL_STEPS)
    const start = rows[startRow] ?? []
    const lastColumn = Math.min(endCol, start.length - 1)
    const width = lastColumn - startCol + 1
    const height = Math.min(endRow, rows.length - 1) - startRow + 1
    // Ranges may overlap, so a file can name far more cells than it has.
    if (width <= 0 || height <= 0 || width * height > left) continue
    budget.work(CELL_STEPS * width * height)
    left -= width * height
    const value = start[startCol] ?? null
    for (const cells of filled.slice(startRow, startRow + height))
      for (let column = startCol; column <= lastColumn; column++) cells[column] = value
  }
  return filled
}

function isWritten(cell: CellValue | Json | undefined): boolean {
  return cell !== null && cell !== undefined && cell !== ''
}

/** True if some times of a column have no day, and the others are early enough to be times too. */
function isOfLengths(
  rows: readonly { readonly cells: readonly CellValue[] }[],
  column: number,
): boolean {
  let hasTime = false
  for (const { cells } of rows) {
    const cell = cells[column]
    if (!(cell instanceof Date)) continue
    if (cell.getTime() >= LONGEST_TIME) return false
    hasTime ||= cell.getTime() < FIRST_DAY
  }
  return hasTime
}

/**
 * A date of a sheet has no zone, and without a time it is a day. In a column of durations, a value
 * of more than a day is a duration too: `30:15:00`.
 */
function valueOf(cell: CellValue, isLength: boolean): Json {
  if (!(cell instanceof Date))
    return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell
  if (Number.isNaN(cell.getTime())) return null
  const [day = '', time = ''] = cell.toISOString().split('T')
  // A time without a day belongs to the first day of a workbook's calendar.
  if (cell.getTime() < FIRST_DAY) return time.slice(0, 8)
  if (isLength) return `${Math.floor((cell.getTime() - NO_TIME) / HOUR)}${time.slice(2, 8)}`
  return time === '00:00:00.000Z' ? day : `${day}T${time.slice(0, 8)}`
}

/** A sheet as Markdown: its name, and its tables. Empty: it has no rows. */
function textOf(name: string, tables: readonly SheetTable[], most: number): SheetText {
  const parts = [`## ${name}`]
  let length = name.length + 3
  for (const { rows } of tables)
    for (const [index, cells] of rows.entries()) {
      const line = `| ${cells.map((cell) => `${cell ?? ''}`.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
      const whole = index === 0 ? `\n${line}\n|${' --- |'.repeat(cells.length)}` : line
      length += whole.length + 1
      if (length > most) return { text: textOfLines(parts), isCut: true }
      parts.push(whole)
    }
  return { text: textOfLines(parts), isCut: false }
}

/** A name without rows is left out. */
function textOfLines(lines: readonly string[]): string {
  return lines.length > 1 ? lines.join('\n') : ''
}
