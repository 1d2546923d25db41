import { DocumentFailure } from '../../kernel/failures.ts'
import type { DocumentText } from '../../ports/document-reader.ts'
import { textOfPage } from './text-of-page.ts'
import type { TextRun } from './text-of-page.ts'
import { rulesOf } from './page-rules.ts'
import type { PageRules } from './page-rules.ts'
import { matrixOf, wordOf } from './page-words.ts'
import type { PageTable } from './page-words.ts'
import { joinTables, looksTabular, tablesOfPage } from './tables-of-page.ts'

/** Limits for one file. */
const MOST_PAGES = 500
const MOST_CHARACTERS = 1_000_000
/** Cells of all tables. */
const MOST_CELLS = 200_000
/** Operators that are looked at for the lines of tables, which are all in one list of a page. */
const MOST_OPERATORS = 2_000_000

/**
 * Reads the text of a PDF on this thread with pdf.js, which is loaded with the first file. A
 * malicious file can keep the thread busy. If there are threads, call this on one that can be
 * terminated.
 *
 * @example
 *   const file = await fetch('https://example.com/report.pdf')
 *   const { text } = await readPdf(await file.bytes(), AbortSignal.timeout(10_000))
 *
 * @throws {DocumentFailure} `malformed`, `encrypted`; `unavailable` if pdf.js cannot be loaded
 */
export async function readPdf(body: Uint8Array, signal: AbortSignal): Promise<DocumentText> {
  const { loading, codes } = await open(body)
  try {
    const document = await loading.promise
    const pages = document.numPages
    const texts: string[] = []
    const tables: (readonly PageTable[])[] = []
    let operatorsLeft = MOST_OPERATORS
    let cellsLeft = MOST_CELLS
    let length = 0
    let pagesRead = 0
    let isCut = false
    while (pagesRead < Math.min(pages, MOST_PAGES) && length < MOST_CHARACTERS) {
      signal.throwIfAborted()
      const page = await document.getPage(++pagesRead)
      const { items } = await page.getTextContent()
      const view = matrixOf(page.getViewport({ scale: 1 }).transform) ?? UPRIGHT
      const words = items.flatMap((item) => wordOf(item, view) ?? [])
      let rules: PageRules = { horizontal: [], vertical: [] }
      if (cellsLeft > 0 && operatorsLeft > 0 && looksTabular(words)) {
        const operators = await page.getOperatorList()
        operatorsLeft -= operators.fnArray.length
        rules = rulesOf(operators, codes, view)
      }
      page.cleanup()
      const pageTables = cellsLeft > 0 ? tablesOfPage(words, rules) : []
      cellsLeft -= cellCount(pageTables)
      tables.push(pageTables)
      const whole = textOfPage(items.flatMap(runOf))
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
    }
  } catch (error) {
    signal.throwIfAborted()
    throw failureOf(error)
  } finally {
    // Nobody needs the errors of the remaining work.
    await loading.destroy().catch(() => undefined)
  }
}

async function open(body: Uint8Array) {
  try {
    const { getDocument, OPS, VerbosityLevel } = await import('unpdf/pdfjs')
    // A copy, because pdf.js takes ownership of its bytes. pdf.js gets no address, so it makes no
    // network requests.
    const loading = getDocument({
      data: new Uint8Array(body),
      verbosity: VerbosityLevel.ERRORS,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      useWasm: false,
      isOffscreenCanvasSupported: false,
      enableXfa: false,
      // Pictures are not decoded: what is drawn is looked at for lines alone.
      maxImageSize: 1,
    })
    return { loading, codes: OPS }
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

const UPRIGHT = [1, 0, 0, 1, 0, 0] as const

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

function runOf(item: object): TextRun[] {
  if (!('str' in item) || typeof item.str !== 'string') return []
  const transform: unknown = 'transform' in item ? item.transform : null
  const y: unknown = Array.isArray(transform) ? transform[5] : 0
  return [
    {
      text: item.str,
      height: 'height' in item && typeof item.height === 'number' ? item.height : 0,
      y: typeof y === 'number' ? y : 0,
      ends: 'hasEOL' in item && item.hasEOL === true,
    },
  ]
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
