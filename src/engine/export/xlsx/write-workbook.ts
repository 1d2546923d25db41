import type { Row } from '../../../kernel/json.ts'
import type { Column } from '../column.ts'
import { numberText } from '../number-text.ts'
import { regroup } from '../regroup.ts'
import { RowSource } from '../row-source.ts'
import { TextBytes } from '../text-bytes.ts'
import { createReader } from '../create-reader.ts'
import { cell, textCell } from './cell.ts'
import { bookParts, sheetHead, SHEET_TAIL, STYLE } from './parts.ts'
import { ZipWriter } from './zip.ts'

const encoder = new TextEncoder()
const CHUNK_BYTES = 262_144
/** Rows of a sheet, the heading included. */
const MOST_ROWS = 1_048_576
/** Readers of archives know sizes up to 4 GiB. */
const MOST_SHEET_BYTES = 3 * 2 ** 30

/** Where a workbook's sheets end; for tests, to which a sheet is too large. */
export interface SheetLimits {
  readonly rows: number
  readonly bytes: number
}

/** Rows as a workbook, in constant memory. */
export function writeWorkbook(batches: AsyncIterable<readonly Row[]>, columns: readonly Column[], limits?: SheetLimits): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  return regroup(writeParts(batches, columns, limits))
}

async function* writeParts(batches: AsyncIterable<readonly Row[]>, columns: readonly Column[], limits: SheetLimits = { rows: MOST_ROWS, bytes: MOST_SHEET_BYTES }): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const zip = new ZipWriter()
  const source = new RowSource(batches)
  let sheets = 0
  try {
    do {
      yield* zip.file(`xl/worksheets/sheet${++sheets}.xml`, writeSheet(source, columns, limits))
    } while (await source.hasMore())
    for (const [path, xml] of bookParts(sheets)) yield* zip.file(path, once(xml))
    yield zip.end()
  } finally {
    await source.close()
  }
}

async function* writeSheet(source: RowSource, columns: readonly Column[], limits: SheetLimits): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const cells = columns.map(({ name, type }, at) => ({ letters: lettersOf(at), read: createReader(name), name, type }))
  const chunks = new TextBytes(CHUNK_BYTES)
  const head = chunks.push(`${sheetHead(columns.length)}<row r="1">${cells.map(({ letters, name }) => textCell(`${letters}1`, name, STYLE.heading)).join('')}</row>`)
  if (head) yield head
  let bytes = 0
  for (let number = 2; number <= limits.rows && bytes < limits.bytes; number++) {
    const row = source.take() ?? ((await source.hasMore()) ? source.take() : undefined)
    if (row === undefined) break
    const place = numberText(number)
    let text = `<row r="${place}">`
    for (const { letters, read, type } of cells) text += cell(letters + place, read(row), type)
    const full = chunks.push(`${text}</row>`)
    if (!full) continue
    bytes += full.length
    yield full
  }
  const tail = chunks.push(SHEET_TAIL)
  if (tail) yield tail
  const rest = chunks.rest()
  if (rest) yield rest
}

async function* once(text: string): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  yield encoder.encode(text)
}

/** A column by its letters: A to Z, AA and on. */
function lettersOf(at: number): string {
  return (at < 26 ? '' : lettersOf(Math.floor(at / 26) - 1)) + String.fromCharCode(65 + (at % 26))
}
