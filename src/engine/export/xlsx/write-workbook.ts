import type { Row } from '../../../kernel/json.ts'
import type { Column, RowsPart } from '../../../ports/row-work.ts'
import { numberText } from '../number-text.ts'
import { regroup } from '../regroup.ts'
import { textParts } from '../text-format.ts'
import { createReader } from '../create-reader.ts'
import type { PartSource, RowWriter } from '../format.ts'
import { cell, textCell } from './cell.ts'
import { bookParts, sheetHead, SHEET_TAIL, STYLE } from './parts.ts'
import { ZipWriter } from './zip.ts'

const encoder = new TextEncoder()
/** Bytes that are compressed at once. */
const ZIPPED_BYTES = 131_072
/** The one below the heading. */
const FIRST_ROW = 2
/** Rows of a sheet, the heading included. */
const MOST_ROWS = 1_048_576
/** Readers of archives know sizes up to 4 GiB. */
const MOST_SHEET_BYTES = 3 * 2 ** 30

/** Where a workbook's sheets end; for tests, to which a sheet is too large. */
export interface SheetLimits {
  readonly rows: number
  readonly bytes: number
}

/** Opens what makes rows of a sheet; they are numbered as the sheet has them. */
export function openSheet(columns: readonly Column[]): RowWriter {
  const cells = columns.map(({ name, type }, at) => ({
    letters: lettersOf(at),
    read: createReader(name),
    type,
  }))
  const rowText = (row: Row, number: number): string => {
    const place = numberText(number)
    let text = `<row r="${place}">`
    for (const { letters, read, type } of cells) text += cell(letters + place, read(row), type)
    return `${text}</row>`
  }
  return { part: textParts(rowText) }
}

/**
 * Puts a workbook together: as many sheets as its rows take. What compresses them is the runtime's
 * own, on a thread of its own.
 */
export function assembleWorkbook(
  columns: readonly Column[],
  parts: PartSource,
  limits?: SheetLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return regroup(zipped(columns, parts, limits))
}

async function* zipped(
  columns: readonly Column[],
  parts: PartSource,
  limits: SheetLimits = { rows: MOST_ROWS, bytes: MOST_SHEET_BYTES },
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const zip = new ZipWriter()
  const firstPart = (): Promise<RowsPart | null> =>
    parts.next(FIRST_ROW, limits.rows - FIRST_ROW + 1)
  let sheets = 0
  let part = await firstPart()
  do {
    yield* zip.file(
      `xl/worksheets/sheet${++sheets}.xml`,
      regroup(sheetOf(columns, parts, part, limits), ZIPPED_BYTES),
    )
    part = part === null ? null : await firstPart()
  } while (part !== null)
  for (const [path, xml] of bookParts(sheets)) yield* zip.file(path, once(xml))
  yield zip.end()
}

/** A sheet: its first part, and those that still fit. */
async function* sheetOf(
  columns: readonly Column[],
  parts: PartSource,
  first: RowsPart | null,
  limits: SheetLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const heads = columns
    .map(({ name }, at) => textCell(`${lettersOf(at)}1`, name, STYLE.heading))
    .join('')
  yield encoder.encode(`${sheetHead(columns.length)}<row r="1">${heads}</row>`)
  let number = FIRST_ROW
  let bytes = 0
  for (let part = first; part !== null;) {
    number += part.rows
    for (const chunk of part.chunks) bytes += chunk.length
    yield* part.chunks
    part =
      number <= limits.rows && bytes < limits.bytes
        ? await parts.next(number, limits.rows - number + 1)
        : null
  }
  yield encoder.encode(SHEET_TAIL)
}

async function* once(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(text)
}

/** A column by its letters: A to Z, AA and on. */
function lettersOf(at: number): string {
  return (at < 26 ? '' : lettersOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))
}
