import type { PageBudget } from '../extract/page/page-budget.ts'
import type { OperatorCount } from './operator-count.ts'
import { rulesOf } from './page-rules.ts'
import type { OperatorCodes, Operators, PageRules } from './page-rules.ts'
import { matrixOf, uprightView, wordOf } from './page-words.ts'
import type { PageTable } from './page-words.ts'
import { looksTabular, tablesOfPage } from './tables-of-page.ts'
import type { TextRun } from './text-of-page.ts'

/** The methods of a pdf.js page that are used here. */
interface PdfPage {
  /** Pieces of the page's text. They are made only while the reader reads them. */
  streamTextContent(): ReadableStream<{ readonly items: readonly object[] }>
  getOperatorList(options: { readonly annotationMode: number }): Promise<Operators>
  getViewport(options: { readonly scale: number }): { readonly transform: unknown }
}

/** The content of one page. */
export interface ReadPdfPage {
  readonly runs: readonly TextRun[]
  readonly tables: readonly PageTable[]
}

/**
 * Maximum number of operators that are searched for the lines of tables, because all operators of a
 * page are in one list.
 */
const MOST_OPERATORS = 2_000_000
/** Steps for a text at its position: it is sorted into lines, and checked for tables. */
const ITEM_STEPS = 40
const CHARACTER_STEPS = 4
/** Bytes of a character, which is in the text of its page and in that of the document. */
const CHARACTER_BYTES = 2
/** Bytes of a cell, besides its text. */
const CELL_BYTES = 8
const UPRIGHT = [1, 0, 0, 1, 0, 0] as const
/** `AnnotationMode.DISABLE` of pdf.js, which reads each annotation in one turn. */
const NO_ANNOTATIONS = 0
const NO_RULES: PageRules = { horizontal: [], vertical: [] }

/** Reads the pages of one PDF, within one budget. */
export class PdfPageReader {
  readonly #codes: OperatorCodes
  readonly #budget: PageBudget
  readonly #count: OperatorCount
  #pieces: ReadableStreamDefaultReader<unknown> | null = null
  #operatorsLeft = MOST_OPERATORS

  /** `count` receives the messages of pdf.js, and charges operators to `budget`. */
  constructor(codes: OperatorCodes, budget: PageBudget, count: OperatorCount) {
    this.#codes = codes
    this.#budget = budget
    this.#count = count
    // The reading side then ends the page itself.
    void count.ended.then(() => this.stop())
  }

  /** Reads a page. If the budget ends, its content is what was read so far. */
  async read(page: PdfPage, withTables: boolean): Promise<ReadPdfPage> {
    const items = await this.#itemsOf(page)
    return {
      runs: items.flatMap(runOf),
      tables: withTables && this.#budget.overrun === null ? await this.#tablesOf(page, items) : [],
    }
  }

  /**
   * Ends reading a page before its end. Call it when the budget is used up, which also ends the
   * page in pdf.js, or when the file is closed, in the same turn. Otherwise pdf.js would continue
   * with the page without yielding, because nobody reads its output.
   */
  stop(): void {
    this.#pieces?.cancel(new Error('The rest of the page is left out')).catch(() => undefined)
  }

  /** Reads the texts of a page piece by piece, so that the budget can end a page of any length. */
  async #itemsOf(page: PdfPage): Promise<readonly object[]> {
    const items: object[] = []
    const pieces = page.streamTextContent().getReader()
    this.#pieces = pieces
    for (;;) {
      const { done, value } = await pieces.read()
      if (done) return items
      for (const item of value.items) {
        if (!this.#pays(item)) return items
        items.push(item)
      }
    }
  }

  #pays(item: object): boolean {
    const budget = this.#budget
    const length = 'str' in item && typeof item.str === 'string' ? item.str.length : 0
    return budget.attempt(
      budget.where,
      () => {
        budget.work(ITEM_STEPS + CHARACTER_STEPS * length)
        budget.make(CHARACTER_BYTES * length)
        return true
      },
      false,
    )
  }

  async #tablesOf(page: PdfPage, items: readonly object[]): Promise<readonly PageTable[]> {
    const budget = this.#budget
    const shown = matrixOf(page.getViewport({ scale: 1 }).transform) ?? UPRIGHT
    const view = uprightView(items, shown)
    const words = items.flatMap((item) => wordOf(item, view) ?? [])
    let rules = NO_RULES
    try {
      if (this.#operatorsLeft > 0 && looksTabular(words)) {
        const listed = page.getOperatorList({ annotationMode: NO_ANNOTATIONS })
        const operators = await Promise.race([listed, this.#count.ended])
        if (operators === null) return []
        this.#operatorsLeft -= operators.fnArray.length
        rules = rulesOf(operators, this.#codes, view)
      }
      const tables = tablesOfPage(words, rules)
      for (const { rows } of tables)
        for (const cells of rows)
          for (const cell of cells) budget.make(CELL_BYTES + (cell?.length ?? 0))
      return tables
    } catch (error) {
      return budget.settle(error, [])
    }
  }
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
