import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/**
 * A page with one table, complete in itself: no scripts, nothing loaded from elsewhere. Numbers are
 * aligned by their end, columns of URLs are links, nothing is an empty cell, lists and objects are
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
    const { openHtml } = await import('./html/write-html.ts')
    return openHtml(columns)
  },
  async *assemble(columns, parts) {
    const { assembleHtml } = await import('./html/write-html.ts')
    yield* assembleHtml(columns, parts)
  },
}
