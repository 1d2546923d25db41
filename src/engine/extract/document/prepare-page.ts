import { once } from '../../../kernel/concurrency.ts'
import type { Page } from '../../../ports/page-processor.ts'
import { contentKind } from '../page/content-type.ts'
import type { readRecords } from './read-records.ts'
import type { recordFields } from './record-fields.ts'
import type { PdfReader } from '../../../ports/pdf-reader.ts'

/** Readers for pages that hold records. */
interface RecordReaders {
  readonly readRecords: typeof readRecords
  readonly recordFields: typeof recordFields
}

let readers: RecordReaders | null = null
const load = once(async () => {
  const [records, fields] = await Promise.all([
    import('./read-records.ts'),
    import('./record-fields.ts'),
  ])
  readers = { readRecords: records.readRecords, recordFields: fields.recordFields }
})

/**
 * Loads the reader for a CSV or JSON Lines page. Returns `null` for any other page, and once the
 * reader is loaded. Await it before a plan processes a page or `detect` inspects it. Without the
 * reader such a page has text but no records.
 *
 * @example
 *   const page = {
 *     url: 'https://example.com/pens.csv',
 *     contentType: 'text/csv',
 *     body: new TextEncoder().encode('name,price\nPen,2'),
 *   }
 *   await preparePage(page)
 *   detect(page)
 */
export function preparePage(page: Page): Promise<void> | null {
  if (readers !== null) return null
  const kind = contentKind(page.contentType, page.body, page.url)
  return kind === 'csv' || kind === 'lines' ? load() : null
}

/** Returns the readers that {@link preparePage} loaded. */
export function loadedReaders(): RecordReaders | null {
  return readers
}

/**
 * Returns a page with everything that a recipe needs: a PDF is read. With `readPdf: null` PDFs stay
 * unread and give nothing.
 *
 * @throws {PdfFailure} and whatever the signal throws
 */
export async function readablePage(
  page: Page,
  readPdf: PdfReader | null,
  signal: AbortSignal,
): Promise<Page> {
  if (readPdf === null || contentKind(page.contentType, page.body, page.url) !== 'pdf') return page
  return { ...page, pdf: await readPdf(page.body, signal) }
}
