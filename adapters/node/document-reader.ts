import { memoryUsage } from 'node:process'
import { Worker } from 'node:worker_threads'
import { Semaphore } from '../../src/kernel/concurrency.ts'
import { DocumentFailure, PageFailure } from '../../src/kernel/failures.ts'
import type { DocumentFailureReason } from '../../src/kernel/failures.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type {
  DocumentFormat,
  DocumentHtml,
  DocumentReader,
  DocumentText,
  PdfReader,
} from '../../src/ports/document-reader.ts'
import type { PageLimits } from '../../src/ports/page-limits.ts'
import { NAMES } from './page-office.ts'

/** The reason why a thread gave no text. */
export interface DocumentReason {
  readonly reason: DocumentFailureReason
  readonly message: string
}

/** A document that a thread reads. */
export interface DocumentFile {
  readonly format: DocumentFormat
  readonly body: Uint8Array<ArrayBuffer>
  /** Limits of the page. Absent: the default ones. */
  readonly limits?: PageLimits | undefined
}

/** Messages of a thread. `costly`: the limit that the file exceeded before anything was read. */
export type FromDocumentThread =
  | { readonly kind: 'document'; readonly document: DocumentText | DocumentHtml }
  | { readonly kind: 'costly'; readonly message: string }
  | ({ readonly kind: 'failure' } & DocumentReason)

/** Limit on the heap growth of a thread between two checks. */
const HEAP_MARGIN_MB = 512
const CHECK_MS = 50
/**
 * Number of checks for which a thread's last answer counts, because it answers only between steps
 * of its script.
 */
const PATIENT_CHECKS = 5
const MIB = 1024 * 1024

/**
 * Reads each document in its own thread, which is ended if it takes too much time or memory: the
 * libraries cannot be interrupted, and a small file can keep them busy for hours or unpack to
 * gigabytes.
 * Starting the thread takes about as long as reading a short file.
 */
export function createDocumentReader({
  maxMs = 15_000,
  maxGrowthMb = 512,
  atOnce = 2,
}: {
  /** Longest time, in ms. Default 15,000. */
  readonly maxMs?: number
  /**
   * Maximum memory of its thread, in MiB. Default 512. On Node before 22.16, and while the thread
   * does not report its memory, the limit applies to the growth of the process.
   */
  readonly maxGrowthMb?: number
  /** Maximum number of concurrent documents. Others wait. Default 2. */
  readonly atOnce?: number
} = {}): DocumentReader {
  const semaphore = new Semaphore(atOnce)
  return (body, format, signal, limits) =>
    semaphore.run(
      () =>
        readInThread(
          { format, body: new Uint8Array(body), limits },
          signal,
          maxMs,
          maxGrowthMb * MIB,
        ),
      signal,
    )
}

/** The reader for a platform, whose own reader is for runtimes without threads. */
export const createDefaultDocumentReader: (
  readHere: PdfReader,
  clock: Clock,
) => DocumentReader = () => createDocumentReader()

async function readInThread(
  file: DocumentFile,
  signal: AbortSignal,
  maxMs: number,
  maxGrowth: number,
): Promise<DocumentText | DocumentHtml> {
  const { format } = file
  const name = NAMES[format]
  const thread = new Worker(entry(), {
    workerData: file,
    transferList: [file.body.buffer],
    execArgv: [],
    name: 'seine-document',
    // This limit is far above the one at which the thread is ended, because V8 ends the whole
    // process if one allocation of a thread exceeds it.
    resourceLimits: { maxOldGenerationSizeMb: 2 * (maxGrowth / MIB) + HEAP_MARGIN_MB },
    stdout: true,
    stderr: true,
  })
  const { promise, resolve, reject } = Promise.withResolvers<DocumentText | DocumentHtml>()
  const grownBy = growthOf(thread)
  const began = performance.now()
  const watchdog = setInterval(() => {
    if (performance.now() - began > maxMs)
      reject(new DocumentFailure(format, 'too_slow', `it is ${name} that takes too long to read`))
    else if (grownBy() > maxGrowth)
      reject(
        new DocumentFailure(
          format,
          'too_large',
          `it is ${name} that takes too much memory to read`,
        ),
      )
  }, CHECK_MS)
  const leave = (): void => reject(signal.reason)
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  thread.on('message', (message: FromDocumentThread) => {
    if (message.kind === 'document') resolve(message.document)
    else if (message.kind === 'costly') reject(new PageFailure('time', message.message))
    else reject(new DocumentFailure(format, message.reason, message.message))
  })
  thread.on('error', (cause) =>
    reject(
      new DocumentFailure(format, 'too_large', `it is ${name} that cannot be read within bounds`, {
        cause,
      }),
    ),
  )
  thread.on('exit', () =>
    reject(new DocumentFailure(format, 'malformed', `it is ${name} that cannot be read`)),
  )
  try {
    return await promise
  } finally {
    clearInterval(watchdog)
    signal.removeEventListener('abort', leave)
    await thread.terminate()
  }
}

/**
 * Returns a function that gives the memory of a thread in bytes. It is the thread's report at the
 * last check. Without a report it is the growth of the process. But pages and other documents also
 * make the process grow, and must not count for this one.
 */
function growthOf(thread: Worker): () => number {
  const before = memoryUsage.rss()
  if (!('getHeapStatistics' in thread)) return () => memoryUsage.rss() - before
  let own = 0
  let unansweredChecks = 0
  return () => {
    if (unansweredChecks++ === 0)
      thread.getHeapStatistics().then(
        ({ total_physical_size: heap, external_memory: outside, malloced_memory: other }) => {
          own = heap + outside + other
          unansweredChecks = 0
        },
        // It has not begun yet, or has ended.
        () => (unansweredChecks = 0),
      )
    return unansweredChecks > PATIENT_CHECKS ? memoryUsage.rss() - before : own
  }
}

// The expression is in the form that bundlers look for. In development sources run directly.
function entry(): URL {
  return import.meta.url.endsWith('.ts')
    ? new URL('./page-document-thread.ts', import.meta.url)
    : new URL('./page-document-thread.js', import.meta.url)
}
