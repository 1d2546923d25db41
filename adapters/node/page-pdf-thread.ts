import { parentPort, workerData } from 'node:worker_threads'
import { readPdf } from '../../src/engine.ts'
import { PdfFailure } from '../../src/kernel/failures.ts'
import { lowerPriority, threadNumber } from './low-priority.ts'
import type { PdfReason } from './pdf-reader.ts'

// The entry of a thread that reads one PDF.
const port = parentPort
if (port === null || !(workerData instanceof Uint8Array))
  throw new Error('page-pdf-thread is the entry of a worker thread; the reader of PDFs starts it')
lowerPriority(threadNumber())

// Node aborts, with all its threads, where one is ended between the making of a zlib handle and its
// first use. pdf.js unpacks by its own means where it finds none.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

try {
  port.postMessage({ kind: 'text', text: await readPdf(workerData, new AbortController().signal) })
} catch (error) {
  const failure: PdfReason =
    error instanceof PdfFailure
      ? { reason: error.reason, message: error.message }
      : { reason: 'malformed', message: 'it is a PDF that cannot be read' }
  port.postMessage({ kind: 'failure', ...failure })
}
