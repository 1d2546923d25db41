import type { PdfReader } from '../ports/pdf-reader.ts'

/** Where there are no threads: reads PDFs here. The runtime itself ends what takes too long. */
export function createDefaultPdfReader(readHere: PdfReader): PdfReader {
  return readHere
}
