import type { Page } from '../../../ports/page-processor.ts'
import type { PdfReader } from '../../../ports/pdf-reader.ts'
import { contentKind } from '../page/content-type.ts'

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
