import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'
import { badRequest } from '../../kernel/errors.ts'

/**
 * CSV by RFC 4180, with a header row. An absent value is an empty cell; lists and objects are JSON
 * text. A cell that a spreadsheet would run as a formula gets a leading apostrophe, except plain
 * numbers (decisions/016-exports.md).
 */
export const csvFormat: ExportFormat = {
  name: 'csv',
  extension: 'csv',
  contentType: 'text/csv; charset=utf-8; header=present',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openCsv } = await import('./write-csv.ts')
    return openCsv(columns)
  },
  async *assemble(columns, parts) {
    const { assembleCsv } = await import('./write-csv.ts')
    yield* assembleCsv(columns, parts)
  },
}

/**
 * A self-contained page with one table: no scripts, nothing loaded from elsewhere. Numbers are
 * right-aligned, URL columns are links, an absent value is an empty cell, lists and objects are
 * JSON text.
 */
export const htmlFormat: ExportFormat = {
  name: 'html',
  extension: 'html',
  contentType: 'text/html; charset=utf-8',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openHtml } = await import('./write-html.ts')
    return openHtml(columns)
  },
  async *assemble(columns, parts) {
    const { assembleHtml } = await import('./write-html.ts')
    yield* assembleHtml(columns, parts)
  },
}

/** One JSON array of rows, one row per line, so that people can still read it. */
const jsonFormat: ExportFormat = {
  name: 'json',
  extension: 'json',
  contentType: 'application/json',
  compressible: true,
  needsTypes: false,
  keepsObjects: true,
  partSize: TEXT_PART,
  async open(columns) {
    const { openJson } = await import('./write-json.ts')
    return openJson(columns)
  },
  async *assemble(columns, parts) {
    const { assembleJson } = await import('./write-json.ts')
    yield* assembleJson(columns, parts)
  },
}

/** JSON Lines: one row per line, each line ended by a line feed. */
const jsonlFormat: ExportFormat = {
  name: 'jsonl',
  extension: 'jsonl',
  contentType: 'application/x-ndjson',
  compressible: true,
  needsTypes: false,
  keepsObjects: true,
  partSize: TEXT_PART,
  async open(columns) {
    const { openJsonLines } = await import('./write-json.ts')
    return openJsonLines(columns)
  },
  async *assemble(columns, parts) {
    const { assembleJsonLines } = await import('./write-json.ts')
    yield* assembleJsonLines(columns, parts)
  },
}

/**
 * Apache Parquet with optional columns: UTF-8 text, doubles, 64-bit integers, booleans, and dates
 * as UTC timestamps in milliseconds. Lists, objects and columns of mixed types are JSON. Compressed
 * with Snappy.
 */
export const parquetFormat: ExportFormat = {
  name: 'parquet',
  extension: 'parquet',
  contentType: 'application/vnd.apache.parquet',
  compressible: false,
  needsTypes: true,
  keepsObjects: false,
  // A row group.
  partSize: { rows: 10_000, bytes: 4_000_000 },
  async open(columns) {
    const { openGroups } = await import('./parquet/write-parquet.ts')
    return openGroups(columns)
  },
  async *assemble(_, parts) {
    const { assembleGroups } = await import('./parquet/write-parquet.ts')
    yield* assembleGroups(parts)
  },
}

/**
 * An Excel workbook (ECMA-376). Numbers, booleans and dates are typed cells. Everything else is
 * text and never a formula; lists and objects are JSON text. Dates with a zone are shown in UTC.
 * Texts beyond 32,767 characters are cut and marked as cut. Rows beyond a sheet's 1,048,575
 * continue in further sheets.
 */
export const xlsxFormat: ExportFormat = {
  name: 'xlsx',
  extension: 'xlsx',
  contentType: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  compressible: false,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openSheet } = await import('./xlsx/write-workbook.ts')
    return openSheet(columns)
  },
  async *assemble(columns, parts) {
    const { assembleWorkbook } = await import('./xlsx/write-workbook.ts')
    yield* assembleWorkbook(columns, parts)
  },
}

/**
 * XML 1.0: `<rows>` of `<row>`, with one element per column. A name that XML does not allow becomes
 * `<field name="…">`, and an absent value is `xsi:nil`. Members of objects are elements by the same
 * rule, and members of lists are `<item>` elements.
 */
export const xmlFormat: ExportFormat = {
  name: 'xml',
  extension: 'xml',
  contentType: 'application/xml; charset=utf-8',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openXml } = await import('./write-xml.ts')
    return openXml(columns)
  },
  async *assemble(columns, parts) {
    const { assembleXml } = await import('./write-xml.ts')
    yield* assembleXml(columns, parts)
  },
}

/** The names of all formats; the first is the default. */
export const FORMAT_NAMES = ['csv', 'jsonl', 'json', 'xlsx', 'parquet', 'xml', 'html'] as const

/** The name of a format. */
type FormatName = (typeof FORMAT_NAMES)[number]

const FORMATS: Readonly<Record<FormatName, ExportFormat>> = {
  csv: csvFormat,
  jsonl: jsonlFormat,
  json: jsonFormat,
  xlsx: xlsxFormat,
  parquet: parquetFormat,
  xml: xmlFormat,
  html: htmlFormat,
}

/** The error message for any other name. */
export const UNKNOWN_FORMAT = `unknown format; known ones: ${FORMAT_NAMES.join(', ')}`

/** The media type of each format's files, by name. */
export const EXPORT_TYPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(FORMATS).map(({ name, contentType }) => [name, mediaType(contentType)]),
)

/** The media types of files that gzip makes smaller. */
export const COMPRESSIBLE_TYPES: readonly string[] = Object.values(FORMATS)
  .filter(({ compressible }) => compressible)
  .map(({ contentType }) => mediaType(contentType))

/**
 * Returns the format with that name, or CSV without a name.
 *
 * @throws {PlatformError} 400 that lists the known formats
 */
export function formatOf(name: string | undefined): ExportFormat {
  const formatName =
    name === undefined ? FORMAT_NAMES[0] : FORMAT_NAMES.find((format) => format === name)
  if (formatName === undefined) throw badRequest([{ path: 'format', message: UNKNOWN_FORMAT }])
  return FORMATS[formatName]
}

/**
 * True if a format writes nested objects as structure and not as the text of a cell.
 *
 * @throws {PlatformError} as {@link formatOf}
 */
export function keepsObjects(name: string | undefined): boolean {
  return formatOf(name).keepsObjects
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0] ?? contentType
}
