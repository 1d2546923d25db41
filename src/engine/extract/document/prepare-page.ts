import { once } from '../../../kernel/concurrency.ts'
import type { Page } from '../../../ports/page-processor.ts'
import { contentKind } from '../page/content-type.ts'
import type { readRecords } from './read-records.ts'
import type { recordFields } from './record-fields.ts'
import type { PdfReader } from '../../../ports/pdf-reader.ts'

/** What makes sense of pages that hold records. */
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
 * Loads what reads a page, where it is CSV or JSON Lines; `null` for every other page, and once
 * that is loaded. Await it before a plan processes a page, or `detect` looks at it: without it,
 * such a page has text and no records.
 */
export function preparePage(page: Page): Promise<void> | null {
  if (readers !== null) return null
  const kind = contentKind(page.contentType, page.body, page.url)
  return kind === 'csv' || kind === 'lines' ? load() : null
}

/** What {@link preparePage} has loaded. */
export function loadedReaders(): RecordReaders | null {
  return readers
}

/**
 * A page with all that a recipe needs to make sense of it: a PDF is read. `readPdf`: `null` leaves
 * PDFs as they are, which then have nothing.
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
