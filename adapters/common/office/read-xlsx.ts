import { readXlsx as readWorkbook } from 'hucre/xlsx'
import type { CellValue, Sheet } from 'hucre/xlsx'
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
const SHEET = /^xl\/worksheets\/[^/]+\.xml$/
/** Stands for a sheet that the budget does not hold. Its only cell tells it from an empty one. */
const LEFT_OUT = 'seine: this sheet was not read'
const STAND_IN =
  '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>' +
  `<row r="1"><c r="A1" t="inlineStr"><is><t>${LEFT_OUT}</t></is></c></row></sheetData></worksheet>`
/** Steps and bytes of a cell, besides its text. */
const CELL_STEPS = 4
const CELL_BYTES = 4

type Cells = readonly Json[]

/**
 * Reads a workbook: a table for each sheet, and the same as text. Hidden parts are left out, as on
 * a web page. Each cell of a merged range has its value. A formula has the value that it had when
 * the file was saved.
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
  const { sheets, properties } = await readWorkbook(bytes, {
    sheets: ({ hidden, veryHidden }, index) => !hidden && !veryHidden && index < MOST_SHEETS,
  })
  const tables: DocumentTable[] = []
  let left = MOST_CELLS
  for (const [position, sheet] of sheets.entries()) {
    if (sheet.rows[0]?.[0] === LEFT_OUT) continue
    const rows = budget.attempt('document', () => paidRows(sheet, left, budget), null)
    if (rows === null) break
    left -= rows.reduce((sum, cells) => sum + cells.length, 0)
    tables.push({ name: sheet.name, page: position + 1, rows })
  }
  const texts: string[] = []
  let length = 0
  for (const table of tables) {
    const text = budget.attempt(
      'document',
      () => paidText(table, MOST_CHARACTERS - length, budget),
      null,
    )
    if (text === null) break
    length += text.length
    texts.push(text)
  }
  return {
    title: properties?.title ?? null,
    author: properties?.creator ?? null,
    date: properties?.created?.toISOString() ?? null,
    language: null,
    pages: sheets.length,
    pagesRead: tables.length,
    ...(length >= MOST_CHARACTERS && { cutAt: MOST_CHARACTERS }),
    ...(left <= 0 && { cellsCutAt: MOST_CELLS }),
    text: texts.join('\n\n'),
    texts,
    tables,
    spent: budget.handOver(),
  }
}

/** The rows of a sheet, once its cells are paid for. */
function paidRows(sheet: Sheet, most: number, budget: WorkBudget): Cells[] {
  for (const cells of sheet.rows) budget.work(CELL_STEPS * (cells.length + 1))
  const rows = rowsOf(sheet, most, budget)
  for (const cells of rows) {
    let length = 0
    for (const cell of cells) length += typeof cell === 'string' ? cell.length : 0
    budget.work(length)
    budget.make(CELL_BYTES * cells.length + length)
  }
  return rows
}

function paidText(table: DocumentTable, most: number, budget: WorkBudget): string {
  const text = textOf(table, most)
  budget.work(text.length)
  budget.make(text.length)
  return text
}

/** Rows with a value, without hidden ones, and without columns that are hidden or empty. */
function rowsOf(sheet: Sheet, most: number, budget: WorkBudget): Cells[] {
  const rows = withMerged(sheet, budget).filter(
    (cells, index) => sheet.rowDefs?.get(index)?.hidden !== true && cells.some(isWritten),
  )
  const used = new Set<number>()
  for (const cells of rows)
    for (const [position, cell] of cells.entries()) if (isWritten(cell)) used.add(position)
  const columns = [...used]
    .filter((index) => sheet.columns?.[index]?.hidden !== true)
    .toSorted((a, b) => a - b)
    .slice(0, MOST_COLUMNS)
  return rows
    .slice(0, Math.floor(most / Math.max(1, columns.length)))
    .map((cells) => columns.map((index) => valueOf(cells[index] ?? null)))
}

/** The rows of a sheet, in which all cells of merged ones have the value of the first. */
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
    // Ranges may lie over each other, so a file can name far more cells than it has.
    if (width <= 0 || height <= 0 || width * height > left) continue
    budget.work(CELL_STEPS * width * height)
    left -= width * height
    const value = start[startCol] ?? null
    for (const cells of filled.slice(startRow, startRow + height))
      for (let column = startCol; column <= lastColumn; column++) cells[column] = value
  }
  return filled
}

function isWritten(cell: CellValue | undefined): boolean {
  return cell !== null && cell !== undefined && cell !== ''
}

/** A date of a sheet has no zone, and is a day where it has no time. */
function valueOf(cell: CellValue): Json {
  if (!(cell instanceof Date))
    return typeof cell === 'number' && !Number.isFinite(cell) ? null : cell
  if (Number.isNaN(cell.getTime())) return null
  const [day = '', time = ''] = cell.toISOString().split('T')
  return time === '00:00:00.000Z' ? day : `${day}T${time.slice(0, 8)}`
}

/** A sheet as Markdown: its name, and a table. */
function textOf({ name, rows }: DocumentTable, most: number): string {
  const parts: string[] = name === null ? [] : [`## ${name}\n`]
  let length = parts.join('').length
  for (const [index, cells] of rows.entries()) {
    const line = `| ${cells.map((cell) => `${cell ?? ''}`.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`
    const rule = index === 0 ? `\n|${' --- |'.repeat(cells.length)}` : ''
    length += line.length + rule.length + 1
    if (length > most) break
    parts.push(line + rule)
  }
  return parts.join('\n')
}
