import { DocumentFailure } from '../../kernel/failures.ts'
import type { DocumentText } from '../../ports/document-reader.ts'
import type { PageLimits } from '../../ports/page-limits.ts'
import { PageBudget } from '../extract/page/page-budget.ts'
import { OperatorCount } from './operator-count.ts'
import { PdfPageReader } from './pdf-page-reader.ts'
import type { PageTable } from './page-words.ts'
import { PageTurns } from './page-turns.ts'
import { joinTables } from './tables-of-page.ts'
import { textOfPage } from './text-of-page.ts'
import { TurnPort } from './turn-port.ts'

/** Limits for one file. */
const MOST_PAGES = 500
const MOST_CHARACTERS = 1_000_000
/** Cells of all tables. */
const MOST_CELLS = 200_000
/** Steps to open a page: a quarter of a millisecond. */
const PAGE_STEPS = 10_000

/**
 * Reads the text of a PDF on this thread with pdf.js, which is loaded with the first file. A
 * malicious file can keep the thread busy. If there are threads, call this on one that can be
 * terminated.
 *
 * The work is counted page by page, text by text and cell by cell. When the document's share of
 * `limits` is used up, the document has what was read so far, and `spent` says so.
 *
 * @example
 *   const file = await fetch('https://example.com/report.pdf')
 *   const { text } = await readPdf(await file.bytes(), AbortSignal.timeout(10_000))
 *
 * @throws {DocumentFailure} `malformed`, `encrypted`; `unavailable` if pdf.js cannot be loaded
 */
export async function readPdf(
  body: Uint8Array,
  signal: AbortSignal,
  limits: PageLimits | undefined = undefined,
): Promise<DocumentText> {
  const budget = PageBudget.forDocument(limits)
  const count = new OperatorCount(budget)
  const opened = await open(body, count)
  const reader = new PdfPageReader(opened.codes, budget, count)
  const close = (): Promise<void> => {
    reader.stop()
    return opened.close()
  }
  const left = Promise.withResolvers<never>()
  // Work in progress ends at its next turn. Waiting for it ends too, because pdf.js might never
  // finish.
  const leave = (): void => {
    void close()
    left.reject(signal.reason)
  }
  signal.addEventListener('abort', leave, { once: true })
  try {
    // The caller may have left while pdf.js was loaded.
    signal.throwIfAborted()
    const reading = readOpened(opened, reader, budget, signal)
    return await Promise.race([reading, opened.failed, left.promise])
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error)
  } finally {
    signal.removeEventListener('abort', leave)
    await close()
  }
}

async function readOpened(
  { loading }: Awaited<ReturnType<typeof open>>,
  reader: PdfPageReader,
  budget: PageBudget,
  signal: AbortSignal,
): Promise<DocumentText> {
  const document = await loading.promise
  const pages = document.numPages
  const texts: string[] = []
  const tables: (readonly PageTable[])[] = []
  let cellsLeft = MOST_CELLS
  let length = 0
  let pagesRead = 0
  let isCut = false
  while (
    pagesRead < Math.min(pages, MOST_PAGES) &&
    length < MOST_CHARACTERS &&
    budget.attempt(DOCUMENT, () => (budget.work(PAGE_STEPS), true), false)
  ) {
    signal.throwIfAborted()
    const page = await document.getPage(++pagesRead)
    const { runs, tables: pageTables } = await reader.read(page, cellsLeft > 0)
    page.cleanup()
    cellsLeft -= cellCount(pageTables)
    tables.push(pageTables)
    const whole = textOfPage(runs)
    const text = whole.slice(0, MOST_CHARACTERS - length).toWellFormed()
    isCut = text.length < whole.length
    length += text.length
    texts.push(text)
  }
  const { info } = await document.getMetadata()
  const fact = (name: string): string | null =>
    textOf(Object.entries(info).find(([key]) => key === name)?.[1])
  return {
    title: fact('Title'),
    author: fact('Author'),
    date: pdfDate(fact('CreationDate')),
    language: fact('Language'),
    pages,
    pagesRead,
    ...(isCut && { cutAt: MOST_CHARACTERS }),
    text: joined(texts),
    texts,
    ...(cellsLeft <= 0 && { cellsCutAt: MOST_CELLS }),
    ...(tables.some((pageTables) => pageTables.length > 0) && { tables: joinTables(tables) }),
    spent: budget.handOver(),
  }
}

async function open(body: Uint8Array, count: OperatorCount) {
  try {
    const { getDocument, OPS, PDFWorker, VerbosityLevel } = await import('unpdf/pdfjs')
    const port = new TurnPort((message) => count.note(message))
    setUpReader(globalThis, port, new PageTurns(count))
    const worker: InstanceType<typeof PDFWorker> = Reflect.construct(PDFWorker, [{ port }])
    // A copy, because pdf.js takes ownership of its bytes. pdf.js gets no address, so it makes no
    // network requests.
    const loading = getDocument({
      data: new Uint8Array(body),
      worker,
      verbosity: VerbosityLevel.ERRORS,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      useWasm: false,
      isOffscreenCanvasSupported: false,
      enableXfa: false,
      // Pictures are not decoded, because only lines are needed from drawings.
      maxImageSize: 1,
    })
    const close = async (): Promise<void> => {
      // Errors of the remaining work are ignored, and nothing waits for it, because a failed side
      // may never answer.
      await Promise.race([loading.destroy(), port.failed]).catch(() => undefined)
      worker.destroy()
      port.terminate()
    }
    return { loading, codes: OPS, close, failed: port.failed }
  } catch (error) {
    throw new DocumentFailure(
      'pdf',
      'unavailable',
      'it is a PDF, and this platform does not read PDFs',
      {
        cause: error,
      },
    )
  }
}

/** Sets up the reading side of pdf.js. Its module exports it as a global. */
function setUpReader(scope: object, port: TurnPort, turns: PageTurns): void {
  const side = Object(
    Reflect.get(Object(Reflect.get(scope, 'pdfjsWorker')), 'WorkerMessageHandler'),
  )
  const step = (name: string, self: unknown, values: readonly unknown[]): unknown => {
    const made: unknown = Reflect.get(side, name)
    if (typeof made !== 'function') throw new Error('This version of pdf.js has no reading side')
    return Reflect.apply(made, self, values)
  }
  // Each step calls the next one on its `this`.
  const setup = (handler: object, ...rest: readonly unknown[]): unknown => {
    const createDocumentHandler = (...values: readonly unknown[]): unknown =>
      turns.within(Reflect.getPrototypeOf(handler) ?? handler, () =>
        step('createDocumentHandler', side, values),
      )
    return step('setup', { createDocumentHandler }, [handler, ...rest])
  }
  step('initializeFromPort', { setup }, [port])
}

const DOCUMENT = 'document'

function cellCount(tables: readonly PageTable[]): number {
  return tables.reduce(
    (sum, { rows }) => sum + rows.reduce((count, cells) => count + cells.length, 0),
    0,
  )
}

function joined(texts: readonly string[]): string {
  return texts
    .flatMap((text, index) =>
      text === '' ? [] : [index === 0 ? text : `[page ${index + 1}]\n\n${text}`],
    )
    .join('\n\n')
}

function textOf(value: unknown): string | null {
  const text =
    typeof value === 'string'
      ? value
          .replace(/[\p{Cc}\s]+/gu, ' ')
          .trim()
          .slice(0, 500)
          .toWellFormed()
      : ''
  return text === '' ? null : text
}

function failureOf(error: unknown): DocumentFailure {
  const name = error instanceof Error ? error.name : ''
  if (name === 'PasswordException')
    return new DocumentFailure('pdf', 'encrypted', 'it is a PDF that needs a password', {
      cause: error,
    })
  return new DocumentFailure('pdf', 'malformed', 'it is a PDF that is damaged', { cause: error })
}

/**
 * Converts a PDF date, `D:20300131120500+01'00'` (ISO 32000-2, 7.9.4), to ISO 8601. Returns `null`
 * for anything else.
 */
export function pdfDate(text: string | null): string | null {
  const parts = /^D?:?(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:Z|([+-])(\d\d)'?(\d\d)?)?/.exec(
    text ?? '',
  )
  if (!parts) return null
  const [
    ,
    year,
    month = '01',
    day = '01',
    hour = '00',
    minute = '00',
    second = '00',
    sign = '+',
    ahead = '00',
    minutes = '00',
  ] = parts
  const time = Date.parse(
    `${year}-${month}-${day}T${hour}:${minute}:${second}${sign}${ahead}:${minutes}`,
  )
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}
