import { parentPort, workerData } from 'node:worker_threads'
import { readPdf } from '../../src/engine.ts'
import { DocumentFailure } from '../../src/kernel/failures.ts'
import { lowerPriority, threadNumber } from './low-priority.ts'
import type { DocumentHtml, DocumentText } from '../../src/ports/document-reader.ts'
import type { DocumentFile, DocumentReason } from './document-reader.ts'
import { readOffice } from './page-office.ts'

// The entry of a thread that reads one document.
const port = parentPort
if (port === null)
  throw new Error(
    'page-document-thread is the entry of a worker thread; the reader of documents starts it',
  )
lowerPriority(threadNumber())

// Node aborts, with all its threads, where one is ended between the making of a zlib handle and its
// first use. The libraries unpack by their own means where they find none.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

const file: DocumentFile = workerData
try {
  port.postMessage({ kind: 'document', document: await read(file) })
} catch (error) {
  const failure: DocumentReason =
    error instanceof DocumentFailure
      ? { reason: error.reason, message: error.message }
      : { reason: 'malformed', message: 'it is a document that cannot be read' }
  port.postMessage({ kind: 'failure', ...failure })
}

function read({ format, body }: DocumentFile): Promise<DocumentText | DocumentHtml> {
  return format === 'pdf' ? readPdf(body, new AbortController().signal) : readOffice(format, body)
}
