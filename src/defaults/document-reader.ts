import { DocumentFailure } from '../kernel/failures.ts'
import { inTime } from '../kernel/in-time.ts'
import type { Clock } from '../ports/clock.ts'
import type { DocumentReader, PdfReader } from '../ports/document-reader.ts'
import { checkPdf } from './pdf-streams.ts'

/** Longest time to read a file, in ms. It is the same as on runtimes with threads. */
const MOST_MS = 15_000
/**
 * Maximum number of bytes of a file. It shares the memory with all other work, and may be in memory
 * several times.
 */
const MOST_BYTES = 16 * 1_024 * 1_024

/**
 * Reads PDFs on the calling thread, on a runtime without threads. There, nothing can end a step of
 * the reader. So the size of a file, its time, and the unpacked size of its parts are bounded.
 * Office files are archives, which can unpack to gigabytes, so they are not read without threads.
 */
export function createDefaultDocumentReader(readPdf: PdfReader, clock: Clock): DocumentReader {
  return async (body, format, signal, limits) => {
    if (format !== 'pdf')
      throw new DocumentFailure(
        format,
        'unavailable',
        'it is an Office document, which this platform does not read: run it on Node, Bun or Deno',
      )
    if (body.length > MOST_BYTES)
      throw new DocumentFailure(
        'pdf',
        'too_large',
        `it is a PDF of ${body.length} bytes, and this runtime reads ${MOST_BYTES} at most: ` +
          'run it on Node, Bun or Deno',
      )
    return inTime(
      {
        clock,
        ms: MOST_MS,
        signal,
        failure: () =>
          new DocumentFailure(
            'pdf',
            'too_slow',
            'it is a PDF that takes too long to read here: run it on Node, Bun or Deno',
          ),
      },
      async (ends) => {
        const checked = await checkPdf(body, ends)
        if ('refused' in checked)
          throw new DocumentFailure(
            'pdf',
            'too_large',
            `it is a PDF that this runtime does not read, as ${checked.refused}: run it on Node, Bun or Deno`,
          )
        return readPdf(checked.body, ends, limits)
      },
    )
  }
}
