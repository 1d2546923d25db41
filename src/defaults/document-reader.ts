import { DocumentFailure } from '../kernel/failures.ts'
import type { DocumentReader, PdfReader } from '../ports/document-reader.ts'

/**
 * Reads PDFs on the calling thread, on a runtime without threads. The runtime itself ends work that
 * takes too long. Office files are archives, which can unpack to gigabytes: they are not read where
 * no thread bounds them.
 */
export function createDefaultDocumentReader(readPdf: PdfReader): DocumentReader {
  return async (body, format, signal) => {
    if (format === 'pdf') return readPdf(body, signal)
    throw new DocumentFailure(
      format,
      'unavailable',
      'it is an Office document, which this platform does not read: run it on Node, Bun or Deno',
    )
  }
}
