import type { Row, Json } from '../../../kernel/json.ts'
import type { Column, RowsPart } from '../../../ports/row-work.ts'
import { numberText, cellText, looksLikeFormula } from '../cells.ts'
import { regroup } from '../row-source.ts'
import { textParts } from '../write-text.ts'
import { createReader } from '../rows.ts'
import type { PartSource, RowWriter } from '../format.ts'
import { ZipWriter } from './zip.ts'
import { readDate } from '../read-date.ts'
import { DAY_MS } from '../../../kernel/time.ts'

const encoder = new TextEncoder()
/** Bytes that are compressed at a time. */
const ZIPPED_BYTES = 131_072
/** The row below the heading. */
const FIRST_ROW = 2
/** Maximum rows of a sheet, heading included. */
const MOST_ROWS = 1_048_576
/** Archive readers support sizes up to 4 GiB. */
const MOST_SHEET_BYTES = 3 * 2 ** 30

/** Limits of a sheet. Tests set lower ones, because a full sheet is too large for them. */
export interface SheetLimits {
  readonly rows: number
  readonly bytes: number
}

/** Opens a writer of sheet rows, numbered as in the sheet. */
export function openSheet(columns: readonly Column[]): RowWriter {
  const cells = columns.map(({ name, type }, index) => ({
    letters: lettersOf(index),
    read: createReader(name),
    type,
  }))
  const rowText = (row: Row, number: number): string => {
    const rowNumber = numberText(number)
    let text = `<row r="${rowNumber}">`
    for (const { letters, read, type } of cells) text += cell(letters + rowNumber, read(row), type)
    return `${text}</row>`
  }
  return { part: textParts(rowText) }
}

/**
 * Assembles a workbook with as many sheets as its rows need. The runtime compresses it on a thread
 * of its own.
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

/** Yields a sheet: its first part, and further parts as long as they fit. */
async function* sheetOf(
  columns: readonly Column[],
  parts: PartSource,
  first: RowsPart | null,
  limits: SheetLimits,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const heads = columns
    .map(({ name }, index) => textCell(`${lettersOf(index)}1`, name, STYLE.heading))
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

/** Returns the letters of a column: A to Z, AA and so on. */
function lettersOf(index: number): string {
  return (
    (index < 26 ? '' : lettersOf(Math.floor(index / 26) - 1)) +
    String.fromCharCode(65 + (index % 26))
  )
}

/** Maximum characters of a cell. */
const MOST_CHARACTERS = 32_767
/**
 * Day 0 of serial numbers. Readers disagree on dates before 1 March 1900, because Excel treats 1900
 * as a leap year.
 */
const DAY_ZERO = Date.UTC(1899, 11, 30)
const FIRST_DATE = Date.UTC(1900, 2, 1)
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }
/**
 * Markup, characters that XML cannot hold, and an underscore that would begin an escape (ECMA-376
 * part 1, 22.9.2.19).
 */
const UNFIT = /[&<>\u0000-\u0008\u000b-\u001f\ufffe\uffff]|_(?=x[\da-fA-F]{4}_)|\p{Surrogate}/u
const EACH = new RegExp(UNFIT.source, 'gu')

/** Returns the cell of a value, or an empty text for an absent value. `cellName`: such as `B7`. */
export function cell(cellName: string, value: Json | undefined, type: Column['type']): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return `<c r="${cellName}"><v>${numberText(value)}</v></c>`
  if (typeof value === 'boolean') return `<c r="${cellName}" t="b"><v>${value ? 1 : 0}</v></c>`
  if (type === 'date' && typeof value === 'string') {
    const date = readDate(value)
    if (date !== null && date.at >= FIRST_DATE) return dateCell(cellName, date)
  }
  const text = cellText(value)
  return textCell(cellName, text, looksLikeFormula(text) ? STYLE.literal : 0)
}

/** A date as the number of days since the format's day zero. */
function dateCell(cellName: string, { at, isDay }: { at: number; isDay: boolean }): string {
  const style = isDay ? STYLE.day : STYLE.time
  return `<c r="${cellName}" s="${style}"><v>${numberText((at - DAY_ZERO) / DAY_MS)}</v></c>`
}

/** A text cell, which no reader runs as a formula. */
function textCell(cellName: string, text: string, style: number): string {
  const styled = style === 0 ? '' : ` s="${style}"`
  const content = escaped(text.length > MOST_CHARACTERS ? cut(text) : text)
  const inline = `<is><t xml:space="preserve">${content}</t></is>`
  return `<c r="${cellName}"${styled} t="inlineStr">${inline}</c>`
}

function cut(text: string): string {
  const mark = `… [cut: ${text.length} characters]`
  return text.slice(0, MOST_CHARACTERS - mark.length).replace(/[\ud800-\udbff]$/, '') + mark
}

function escaped(text: string): string {
  return UNFIT.test(text) ? text.replace(EACH, escapeOf) : text
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0)
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd'
  return ESCAPES[character] ?? `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const RELATED = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const TYPES = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
const PACKAGE = 'application/vnd.openxmlformats-package'
const COLUMN_WIDTH = 20

/** Cell styles, by their index in {@link STYLES}. */
const STYLE = { day: 1, time: 2, heading: 3, literal: 4 } as const

/** The archive part with the styles of {@link STYLE}. */
const STYLES =
  `${XML}<styleSheet xmlns="${MAIN}">` +
  '<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/>' +
  '<numFmt numFmtId="165" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts>' +
  '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>' +
  '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
  '<fills count="2"><fill><patternFill patternType="none"/></fill>' +
  '<fill><patternFill patternType="gray125"/></fill></fills>' +
  '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
  '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
  '<cellXfs count="5"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
  '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>' +
  '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
  '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" quotePrefix="1"/></cellXfs>' +
  '</styleSheet>'

/** The start of a sheet, before its rows. The first row stays in view. */
function sheetHead(columns: number): string {
  const widths =
    columns === 0
      ? ''
      : `<cols><col min="1" max="${columns}" width="${COLUMN_WIDTH}" customWidth="1"/></cols>`
  return (
    `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0">` +
    '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>' +
    `</sheetView></sheetViews>${widths}<sheetData>`
  )
}

/** The end of a sheet, after its rows. */
const SHEET_TAIL = '</sheetData></worksheet>'

/** The archive parts that list the sheets; written after the last row. */
function bookParts(sheets: number): readonly (readonly [path: string, xml: string])[] {
  const numbers = Array.from({ length: sheets }, (_, index) => index + 1)
  const relation = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${RELATED}/${type}" Target="${target}"/>`
  const relations = (list: readonly string[]) =>
    `${XML}<Relationships xmlns="${RELATIONSHIPS}">${list.join('')}</Relationships>`
  const sheet = (n: number) =>
    `<sheet name="Rows${n === 1 ? '' : ` ${n}`}" sheetId="${n}" r:id="rId${n}"/>`
  const override = (part: string, type: string) =>
    `<Override PartName="/xl/${part}" ContentType="${TYPES}.${type}+xml"/>`
  return [
    ['xl/styles.xml', STYLES],
    [
      'xl/workbook.xml',
      `${XML}<workbook xmlns="${MAIN}" xmlns:r="${RELATED}">` +
        `<sheets>${numbers.map(sheet).join('')}</sheets></workbook>`,
    ],
    [
      'xl/_rels/workbook.xml.rels',
      relations([
        ...numbers.map((n) => relation(`rId${n}`, 'worksheet', `worksheets/sheet${n}.xml`)),
        relation(`rId${sheets + 1}`, 'styles', 'styles.xml'),
      ]),
    ],
    ['_rels/.rels', relations([relation('rId1', 'officeDocument', 'xl/workbook.xml')])],
    [
      '[Content_Types].xml',
      `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
        `<Default Extension="rels" ContentType="${PACKAGE}.relationships+xml"/>` +
        '<Default Extension="xml" ContentType="application/xml"/>' +
        override('workbook.xml', 'sheet.main') +
        override('styles.xml', 'styles') +
        numbers.map((n) => override(`worksheets/sheet${n}.xml`, 'worksheet')).join('') +
        '</Types>',
    ],
  ]
}
