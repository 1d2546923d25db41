import type { ExportFormat } from './format.ts'

/**
 * A page with one table, complete in itself: no scripts, nothing loaded from elsewhere. Numbers are aligned by their end, columns of
 * URLs are links, nothing is an empty cell, lists and objects are JSON text.
 */
export const htmlFormat: ExportFormat = {
  name: 'html',
  extension: 'html',
  contentType: 'text/html; charset=utf-8',
  compressible: true,
  needsTypes: false,
  async *write(rows, columns) {
    const { writeHtml } = await import('./html/write-html.ts')
    yield* writeHtml(rows, columns)
  },
}
