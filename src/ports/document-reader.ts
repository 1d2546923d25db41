import type { Json } from '../kernel/json.ts'
import type { PageLimits, PageSpent } from './page-limits.ts'

/** The kinds of files that a reader turns into text. */
export type DocumentFormat = 'pdf' | 'docx' | 'xlsx'

/** A table of a document, unchanged: its first rows may be a title or the names of the columns. */
export interface DocumentTable {
  /** The name of a sheet. `null`: it has no name. */
  readonly name: string | null
  /** The page or the sheet on which it begins, from 1. */
  readonly page: number
  /** Cells by row. `null`: nothing is written there. */
  readonly rows: readonly (readonly Json[])[]
  /** Indexes of rows with a cell that spans several columns. Absent: not known. */
  readonly wide?: readonly number[]
}

/** The text and the tables of a document. Facts that the file does not state are `null`. */
export interface DocumentText {
  readonly title: string | null
  readonly author: string | null
  /** When it was made, ISO 8601. */
  readonly date: string | null
  readonly language: string | null
  /** Number of pages or sheets. */
  readonly pages: number
  /** Number of pages whose text was read. If the document has very many, only the first ones are. */
  readonly pagesRead: number
  /** Number of characters after which the last of these pages was cut. Absent: it was not cut. */
  readonly cutAt?: number
  /** Number of cells after which the last table was cut. Absent: it was not cut. */
  readonly cellsCutAt?: number
  /**
   * The text as Markdown: paragraphs are separated, large lines are headings, and pages are marked
   * `[page 2]`. Empty if the document has only pictures.
   */
  readonly text: string
  /** The same text page by page. A page without text is empty. */
  readonly texts: readonly string[]
  /** In the order of the pages. Absent: the document has no tables. */
  readonly tables?: readonly DocumentTable[]
  /** The cost of reading, from the page's budget, and the losses. Absent: nothing. */
  readonly spent?: PageSpent
}

/** A document as a web page. Facts about the document are in the page's `head`. */
export interface DocumentHtml {
  readonly html: string
  /** The cost of reading, from the page's budget. Absent: nothing. */
  readonly spent?: PageSpent
}

/**
 * Reads a document, bounded in time, size and work: a Word file as HTML, others as text and tables.
 * `limits` are those of the whole page, and the reader uses a share of them. Absent: the defaults
 * apply. When the share is used up, reading ends, and the document has what was read so far.
 *
 * @throws {DocumentFailure} for anything but a readable file
 * @throws {PageFailure} if the share was used up before anything was read
 */
export type DocumentReader = (
  body: Uint8Array,
  format: DocumentFormat,
  signal: AbortSignal,
  limits?: PageLimits,
) => Promise<DocumentText | DocumentHtml>

/** Reads a PDF on the calling thread. */
export type PdfReader = (
  body: Uint8Array,
  signal: AbortSignal,
  limits?: PageLimits,
) => Promise<DocumentText>
