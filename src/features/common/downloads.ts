import { COMPRESSIBLE_TYPES, EXPORT_TYPES } from '../../engine/export/formats.ts'
import type { RawAnswer } from '../../kernel/http/route.ts'

const exampleRows = [
  { title: 'Fountain pen', price: 24.5 },
  { title: 'Ink, blue', price: null },
]

/** Sample files by format, for the documentation. Binary formats have no sample. */
const FILE_EXAMPLES: Readonly<Record<string, string>> = {
  csv: 'title,price\r\nFountain pen,24.5\r\n"Ink, blue",\r\n',
  jsonl: exampleRows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: JSON.stringify(exampleRows),
  xml:
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    '<rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n' +
    '<row><title>Fountain pen</title><price>24.5</price></row>\n' +
    '<row><title>Ink, blue</title><price xsi:nil="true"/></row>\n</rows>\n',
  html:
    '<table><thead><tr><th scope="col">title</th><th class="n" scope="col">price</th></tr>' +
    '</thead><tbody><tr><td>Fountain pen</td><td class="n">24.5</td></tr></tbody></table>',
}

/** Response description of an export, for the route's row. */
export const EXPORT_ANSWER: RawAnswer = {
  contents: Object.fromEntries(
    Object.entries(EXPORT_TYPES).map(([format, type]) => [type, FILE_EXAMPLES[format] ?? null]),
  ),
  compressible: COMPRESSIBLE_TYPES,
  headers: {
    'Content-Disposition': 'Name of the file (RFC 6266).',
    'Content-Encoding':
      '`gzip`, if `Accept-Encoding` allows it and the format is not already compressed.',
    Vary: '`Accept-Encoding`.',
  },
}

/** The response with an export. */
export function downloadOf({ name, contentType, body }: ExportFile): Response {
  return new Response(body, {
    headers: {
      'Content-Type': contentType,
      'Content-Disposition': attachment(name),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
  })
}

/** An export, generated while it is read. */
export interface ExportFile {
  readonly name: string
  readonly contentType: string
  /** Errors if the rest cannot be generated. Cancelling it stops the work. */
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
}

const MAX_LENGTH = 80
/**
 * Characters not allowed in file names: control characters, special characters of paths and shells,
 * and characters that reverse text (Unicode bidi).
 */
const UNFIT = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"*/:<>?\\|]+/gu

/** A file name for a download: the title first, an id that keeps it unique, the extension. */
export function fileName(title: string, id: string, extension: string): string {
  const fit = title
    .toWellFormed()
    .replace(UNFIT, ' ')
    .replace(/\s+/g, '-')
    .replace(/^[.-]+|(?<![.-])[.-]+$/g, '')
  const short = [...fit].slice(0, MAX_LENGTH).join('')
  return `${short === '' ? 'results' : short}-${id}.${extension}`
}

/** `Content-Disposition` of a download (RFC 6266), with the name in ASCII and in full (RFC 8187). */
export function attachment(name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^\w.() -]+/g, '_')
  const full = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${full}`
}
