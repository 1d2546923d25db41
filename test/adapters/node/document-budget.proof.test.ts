import { expect, test } from 'vitest'
import { createDocumentReader } from '../../../adapters/node/document-reader.ts'
import { readOffice } from '../../../adapters/node/page-office.ts'
import { readPdf } from '../../../src/engine/pdf/read-pdf.ts'
import type { DocumentFormat, DocumentReader } from '../../../src/ports/document-reader.ts'
import type { PageSpent } from '../../../src/ports/page-limits.ts'
import { makeDocx, makeXlsx, paragraph, sheetRows } from '../../support/fakes/make-office.ts'
import { makePdf, type PdfLine } from '../../support/fakes/make-pdf.ts'

// Proves that the budget of the page ends growing documents, and not the time limit, and that they
// cost the same on a thread and on this one.

const here = new AbortController().signal
const LIMITS = { steps: 1_000_000, bytes: 200_000 }
/** Small letters, as text outside of the page does not count. */
const line: PdfLine = ['word '.repeat(20), 0.5]
const row = Array.from({ length: 10 }, (_, index) => index)

/** Reads on the calling thread, as where there are none. */
const readHere: DocumentReader = (body, format, signal, limits) =>
  format === 'pdf' ? readPdf(body, signal, limits) : readOffice(format, body, limits)
const readInThread = createDocumentReader({ maxMs: 200_000 })

/** The costs of the reading; if nothing was read, the reason. */
async function costOf(
  read: DocumentReader,
  body: Uint8Array,
  format: DocumentFormat,
): Promise<PageSpent | string> {
  try {
    return (await read(body, format, here, LIMITS)).spent ?? 'nothing'
  } catch (error) {
    return error instanceof Error ? `${error.name}: ${error.message}` : 'no error'
  }
}

const GROWING: readonly [
  what: string,
  format: DocumentFormat,
  make: (size: number) => Uint8Array | Promise<Uint8Array>,
][] = [
  ['pages', 'pdf', (size) => makePdf(Array.from({ length: size }, () => ['A page']))],
  [
    'lines of one page',
    'pdf',
    (size) => makePdf([Array.from({ length: 20 * size }, (): PdfLine => line)]),
  ],
  [
    'sheets',
    'xlsx',
    (size) =>
      makeXlsx(
        Array.from({ length: size }, (_, index) => ({
          name: `s${index}`,
          rows: sheetRows(Array.from({ length: 20 }, () => row)),
        })),
      ),
  ],
  [
    'rows of one sheet',
    'xlsx',
    (size) =>
      makeXlsx([{ name: 'a', rows: sheetRows(Array.from({ length: 20 * size }, () => row)) }]),
  ],
  [
    'texts of cells',
    'xlsx',
    (size) =>
      makeXlsx([{ name: 'a', rows: '' }], {
        strings: Array.from({ length: 40 * size }, (_, index) => `text ${index} `.repeat(20)),
      }),
  ],
  ['paragraphs', 'docx', (size) => makeDocx(paragraph('Ink').repeat(40 * size))],
  ['text of a paragraph', 'docx', (size) => makeDocx(paragraph('Ink '.repeat(1_000 * size)))],
]

test.each(GROWING)('%s of a document (%s) end by the budget', async (_, format, make) => {
  const costs: (PageSpent | string)[] = []
  for (const size of [1, 4, 16, 64, 256])
    costs.push(await costOf(readHere, await make(size), format))
  const isOver = (cost: PageSpent | string | undefined): boolean =>
    typeof cost === 'string'
      ? cost.startsWith('PageFailure: The page used up its ')
      : (cost?.cuts?.length ?? 0) > 0
  const first = costs.findIndex(isOver)
  expect(first).toBeGreaterThan(1)
  // From there on each size is over.
  expect(costs.slice(first).every(isOver)).toBe(true)
  const before = costs.slice(0, first).map((cost) => (typeof cost === 'string' ? -1 : cost.steps))
  expect(before).toEqual(before.toSorted((a, b) => a - b))
  expect(before[0]).toBeGreaterThan(0)
  for (const cost of costs)
    if (typeof cost === 'object') {
      expect(cost.steps).toBeLessThanOrEqual(LIMITS.steps / 2)
      expect(cost.bytes).toBeLessThanOrEqual(LIMITS.bytes / 2)
    }
})

test('a document costs the same on a thread and where there are none', async () => {
  for (const [what, format, make] of GROWING)
    for (const size of [2, 256]) {
      const body = await make(size)
      expect([what, size, await costOf(readInThread, body, format)]).toEqual([
        what,
        size,
        await costOf(readHere, body, format),
      ])
    }
})

test('the document is what was read until the budget ended', async () => {
  const pages = makePdf(Array.from({ length: 100 }, (_, index) => [`Page ${index + 1}`]))
  const text = await readPdf(pages, here, LIMITS)
  expect(text.pages).toBe(100)
  expect(text.pagesRead).toBeGreaterThan(10)
  expect(text.pagesRead).toBeLessThan(100)
  expect(text.texts.at(-1)).toBe(`Page ${text.pagesRead}`)
  expect(text.spent?.cuts).toEqual([{ what: 'steps of work', limit: 500_000, where: 'document' }])

  const sheets = Array.from({ length: 100 }, (_, index) => ({
    name: `s${index}`,
    rows: sheetRows(Array.from({ length: 20 }, () => [index, ...row])),
  }))
  const workbook = await readOffice('xlsx', await makeXlsx(sheets), LIMITS)
  const tables = 'tables' in workbook ? (workbook.tables ?? []) : []
  expect(tables[0]).toMatchObject({ name: 's0', rows: expect.arrayContaining([[0, ...row]]) })
  const filled = tables.filter(({ rows }) => rows.length > 0).length
  expect([filled > 10, filled < 100]).toEqual([true, true])
})
