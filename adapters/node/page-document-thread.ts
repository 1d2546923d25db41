import { parentPort, workerData } from 'node:worker_threads'
import { readPdf } from '../../src/engine.ts'
import { DocumentFailure, PageFailure } from '../../src/kernel/failures.ts'
import { lowerPriority, threadNumber } from './low-priority.ts'
import type { DocumentHtml, DocumentText } from '../../src/ports/document-reader.ts'
import type { DocumentFile, FromDocumentThread } from './document-reader.ts'
import { readOffice } from './page-office.ts'

// The entry of a thread that reads one document.
const port = parentPort
if (port === null)
  throw new Error(
    'page-document-thread is the entry of a worker thread; the reader of documents starts it',
  )
lowerPriority(threadNumber())

// Node aborts the whole process if a thread is ended between the creation of a zlib handle and its
// first use. So zlib is hidden, and the libraries unpack by their own code.
Reflect.deleteProperty(globalThis, 'DecompressionStream')

const file: DocumentFile = workerData
port.postMessage(await answerTo(file))

async function answerTo(question: DocumentFile): Promise<FromDocumentThread> {
  try {
    return { kind: 'document', document: await read(question) }
  } catch (error) {
    if (error instanceof PageFailure) return { kind: 'costly', message: error.message }
    if (error instanceof DocumentFailure)
      return { kind: 'failure', reason: error.reason, message: error.message }
    return {
      kind: 'failure',
      reason: 'malformed',
      message: 'it is a document that cannot be read',
    }
  }
}

function read({ format, body, limits }: DocumentFile): Promise<DocumentText | DocumentHtml> {
  return format === 'pdf'
    ? readPdf(body, new AbortController().signal, limits)
    : readOffice(format, body, limits)
}
