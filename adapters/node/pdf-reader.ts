import { memoryUsage } from 'node:process'
import { Worker } from 'node:worker_threads'
import { Semaphore } from '../../src/kernel/concurrency.ts'
import { PdfFailure } from '../../src/kernel/failures.ts'
import type { PdfFailureReason } from '../../src/kernel/failures.ts'
import type { PdfReader, PdfText } from '../../src/ports/pdf-reader.ts'

/** Why a thread gave no text. */
export interface PdfReason {
  readonly reason: PdfFailureReason
  readonly message: string
}

/** Messages of a PDF thread. */
type FromPdfThread =
  | { readonly kind: 'text'; readonly text: PdfText }
  | ({ readonly kind: 'failure' } & PdfReason)

const LOOK_MS = 50
const MIB = 1024 * 1024

/**
 * Reads each PDF in its own thread, which is ended if it takes too much time or memory: pdf.js
 * cannot be interrupted, and a small file can keep it busy for hours or unpack to gigabytes.
 * Starting the thread takes about as long as reading a short file.
 */
export function createPdfReader({
  maxMs = 15_000,
  maxGrowthMb = 512,
  atOnce = 2,
}: {
  /** Longest time, in ms. Default 15,000. */
  readonly maxMs?: number
  /** Most memory that it may make the process grow by, in MiB. Default 512. */
  readonly maxGrowthMb?: number
  /** PDFs at the same time; others wait. Default 2. */
  readonly atOnce?: number
} = {}): PdfReader {
  const semaphore = new Semaphore(atOnce)
  return (body, signal) =>
    semaphore.run(() => readInThread(body, signal, maxMs, maxGrowthMb * MIB), signal)
}

/** As the platform wants it, whose own reader is for runtimes without threads. */
export const createDefaultPdfReader: (readHere: PdfReader) => PdfReader = () => createPdfReader()

async function readInThread(
  body: Uint8Array,
  signal: AbortSignal,
  maxMs: number,
  maxGrowth: number,
): Promise<PdfText> {
  const bytes = body.slice()
  const thread = new Worker(entry(), {
    workerData: bytes,
    transferList: [bytes.buffer],
    execArgv: [],
    name: 'seine-pdf',
    resourceLimits: { maxOldGenerationSizeMb: 256 },
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<PdfText>()
  const before = memoryUsage.rss()
  const began = performance.now()
  const look = setInterval(() => {
    if (performance.now() - began > maxMs)
      reject(new PdfFailure('too_slow', 'it is a PDF that takes too long to read'))
    else if (memoryUsage.rss() - before > maxGrowth)
      reject(new PdfFailure('too_large', 'it is a PDF that takes too much memory to read'))
  }, LOOK_MS)
  const leave = (): void => reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  thread.on('message', (message: FromPdfThread) =>
    message.kind === 'text'
      ? resolve(message.text)
      : reject(new PdfFailure(message.reason, message.message)),
  )
  thread.on('error', (cause) =>
    reject(new PdfFailure('too_large', 'it is a PDF that cannot be read within bounds', { cause })),
  )
  thread.on('exit', () => reject(new PdfFailure('malformed', 'it is a PDF that cannot be read')))
  try {
    return await promise
  } finally {
    clearInterval(look)
    signal.removeEventListener('abort', leave)
    await thread.terminate()
  }
}

// Written out for bundlers, which look for this form. Sources are run as they are in development.
function entry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./page-pdf-thread.ts', import.meta.url)
    : new URL('./page-pdf-thread.js', import.meta.url)
}
