import { once } from '../../../kernel/concurrency.ts'
import type { Page } from '../../../ports/page-processor.ts'
import { contentKind, isDocument } from '../page/content-type.ts'
import type { documentTables } from './document-tables.ts'
import type { readRecords } from './read-records.ts'
import type { allOf, recordFieldParts } from './record-fields.ts'
import type {
  DocumentFormat,
  DocumentHtml,
  DocumentReader,
  DocumentText,
} from '../../../ports/document-reader.ts'

/** Readers for pages that hold records. */
interface RecordReaders {
  readonly readRecords: typeof readRecords
  readonly allOf: typeof allOf
  readonly recordFieldParts: typeof recordFieldParts
  readonly documentTables: typeof documentTables
}

let readers: RecordReaders | null = null
const load = once(async () => {
  const [records, fields, tables] = await Promise.all([
    import('./read-records.ts'),
    import('./record-fields.ts'),
    import('./document-tables.ts'),
  ])
  readers = {
    readRecords: records.readRecords,
    allOf: fields.allOf,
    recordFieldParts: fields.recordFieldParts,
    documentTables: tables.documentTables,
  }
})

/**
 * Loads the reader for a page of records: CSV, JSON Lines, a document with tables. Returns `null`
 * for any other page, and once the reader is loaded. Await it before a plan processes a page or
 * `detect` inspects it. Without the reader such a page has text but no records.
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
  const { document } = page
  if (document !== undefined && 'tables' in document) return load()
  const kind = contentKind(page.contentType, page.body, page.url)
  return kind === 'csv' || kind === 'lines' ? load() : null
}

/** Returns the readers that {@link preparePage} loaded. */
export function loadedReaders(): RecordReaders | null {
  return readers
}

/**
 * Returns a page with everything that a recipe needs: a PDF or an Office file is read. With
 * `readDocument: null`, or if `reads` returns false, such a file stays unread and gives nothing.
 *
 * @throws {DocumentFailure} and whatever the signal throws
 */
export async function readablePage(
  page: Page,
  readDocument: DocumentReader | null,
  signal: AbortSignal,
  reads: (format: DocumentFormat) => boolean = () => true,
): Promise<Page> {
  if (readDocument === null) return page
  const kind = contentKind(page.contentType, page.body, page.url)
  return isDocument(kind) && reads(kind)
    ? withDocument(page, await readDocument(page.body, kind, signal))
    : page
}

/** Returns a page with its document. The cost of reading is charged to the page's budget. */
export function withDocument(page: Page, document: DocumentText | DocumentHtml): Page {
  return { ...page, document, ...(document.spent && { spent: document.spent }) }
}
