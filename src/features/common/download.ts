import { COMPRESSIBLE_TYPES, EXPORT_TYPES } from '../../engine/export/formats.ts'
import type { RawAnswer } from '../../kernel/http/route.ts'
import { FILE_EXAMPLES } from './file-examples.ts'
import type { ExportFile } from './export-rows.ts'
import { attachment } from './file-name.ts'

/** What a route that answers with an export can give; for its row. */
export const EXPORT_ANSWER: RawAnswer = {
  contents: Object.fromEntries(
    Object.entries(EXPORT_TYPES).map(([format, type]) => [type, FILE_EXAMPLES[format] ?? null]),
  ),
  compressible: COMPRESSIBLE_TYPES,
  headers: {
    'Content-Disposition': 'Name of the file (RFC 6266).',
    'Content-Encoding':
      '`gzip`, where `Accept-Encoding` asks for it and the format is not compressed by itself.',
    Vary: '`Accept-Encoding`.',
  },
}

/** The answer that carries an export. */
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
