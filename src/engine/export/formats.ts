import { badRequest } from '../../kernel/errors.ts'
import { csvFormat } from './csv.ts'
import type { ExportFormat } from './format.ts'
import { jsonFormat } from './json.ts'
import { jsonlFormat } from './jsonl.ts'

/** Every format that results can be exported as; the first is the default. */
const FORMATS: readonly [ExportFormat, ...ExportFormat[]] = [csvFormat, jsonlFormat, jsonFormat]

/** The names of all formats. */
export const FORMAT_NAMES: readonly string[] = FORMATS.map(({ name }) => name)

/** The media type of each format's files, by name. */
export const EXPORT_TYPES: Readonly<Record<string, string>> = Object.fromEntries(FORMATS.map(({ name, contentType }) => [name, contentType.split(';')[0] ?? contentType]))

/** The format of that name; CSV for none. @throws {PlatformError} 400 that lists the known ones */
export function formatOf(name: string | undefined): ExportFormat {
  const format = name === undefined ? FORMATS[0] : FORMATS.find((known) => known.name === name)
  if (!format) throw badRequest([{ path: 'format', message: `unknown format; known ones: ${FORMAT_NAMES.join(', ')}` }])
  return format
}
