import { badRequest } from '../../kernel/errors.ts'
import { csvFormat } from './csv.ts'
import type { ExportFormat } from './format.ts'
import { htmlFormat } from './html.ts'
import { jsonFormat } from './json.ts'
import { jsonlFormat } from './jsonl.ts'
import { parquetFormat } from './parquet.ts'
import { xlsxFormat } from './xlsx.ts'
import { xmlFormat } from './xml.ts'

/** Every format that rows can be exported as; the first is the default. */
const FORMATS: readonly [ExportFormat, ...ExportFormat[]] = [csvFormat, jsonlFormat, jsonFormat, xlsxFormat, parquetFormat, xmlFormat, htmlFormat]

/** The names of all formats. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name)

/** The media type of each format's files, by name. */
export const EXPORT_TYPES: Readonly<Record<string, string>> = Object.fromEntries(FORMATS.map(({ name, contentType }) => [name, mediaType(contentType)]))

/** The media types of files that gzip makes smaller. */
export const COMPRESSIBLE_TYPES: readonly string[] = FORMATS.filter(({ compressible }) => compressible).map(({ contentType }) => mediaType(contentType))

/** The format of that name; CSV for none. @throws {PlatformError} 400 that lists the known ones */
export function formatOf(name: string | undefined): ExportFormat {
  const format = name === undefined ? FORMATS[0] : FORMATS.find((known) => known.name === name)
  if (!format) throw badRequest([{ path: 'format', message: `unknown format; known ones: ${FORMAT_NAMES.join(', ')}` }])
  return format
}

/** Whether a format writes an object of a row as such, and not as the text of a cell. @throws {PlatformError} as {@link formatOf} */
export function keepsObjects(name: string | undefined): boolean {
  return formatOf(name).writeLines !== undefined
}

function mediaType(contentType: string): string {
  return contentType.split(';')[0] ?? contentType
}
