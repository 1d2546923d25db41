import type { PdfReader } from '../ports/pdf-reader.ts'

/**
 * Reads PDFs on the calling thread, on a runtime without threads. The runtime itself ends work that
 * takes too long.
 */
export function createDefaultPdfReader(readHere: PdfReader): PdfReader {
  return readHere
}
