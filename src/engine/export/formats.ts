import { badRequest } from '../../kernel/errors.ts'
import { csvFormat } from './csv.ts'
import type { ExportFormat } from './format.ts'
import { htmlFormat } from './html.ts'
import { jsonFormat } from './json.ts'
import { jsonlFormat } from './jsonl.ts'
import { parquetFormat } from './parquet.ts'
import { xlsxFormat } from './xlsx.ts'
import { xmlFormat } from './xml.ts'

/** The names of all formats; the first is the default. */
export const FORMAT_NAMES = ['csv', 'jsonl', 'json', 'xlsx', 'parquet', 'xml', 'html'] as const

/** The name of a format. */
export type FormatName = (typeof FORMAT_NAMES)[number]

const FORMATS: Readonly<Record<FormatName, ExportFormat>> = {
  csv: csvFormat,
  jsonl: jsonlFormat,
  json: jsonFormat,
  xlsx: xlsxFormat,
  parquet: parquetFormat,
  xml: xmlFormat,
  html: htmlFormat,
}

/** What is said of any other name. */
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
 * The format of that name; CSV for none.
 *
 * @throws {PlatformError} 400 that lists the known ones
 */
export function formatOf(name: string | undefined): ExportFormat {
  const known = name === undefined ? FORMAT_NAMES[0] : FORMAT_NAMES.find((one) => one === name)
  if (known === undefined) throw badRequest([{ path: 'format', message: UNKNOWN_FORMAT }])
  return FORMATS[known]
}

/**
 * Whether a format writes an object of a row as such, and not as the text of a cell.
 *
 * @throws {PlatformError} as {@link formatOf}
 */
export function keepsObjects(name: string | undefined): boolean {
  return formatOf(name).keepsObjects
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0] ?? contentType
}
