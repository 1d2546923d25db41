import type { Json } from '../kernel/json.ts'
import type { PageLimits, PageSpent } from './page-limits.ts'

/** The kinds of files that a reader turns into text. */
export type DocumentFormat = 'pdf' | 'docx' | 'xlsx'

/** A table of a document, as written: the first rows may be a title or the names of the columns. */
export interface DocumentTable {
  /** The name of a sheet. `null`: it has no name. */
  readonly name: string | null
  /** The page or the sheet on which it begins, from 1. */
  readonly page: number
  /** Cells by row. `null`: nothing is written there. */
  readonly rows: readonly (readonly Json[])[]
  /** The rows, from 0, with a cell that stands in several columns. Absent: that is not known. */
  readonly wide?: readonly number[]
}

/** The text and the tables of a document. Facts that the file does not state are `null`. */
export interface DocumentText {
  readonly title: string | null
  readonly author: string | null
  /** When it was made, ISO 8601. */
  readonly date: string | null
  readonly language: string | null
  /** Pages, or sheets, it has. */
  readonly pages: number
  /** Pages whose text is here: the first ones, where it has very many. */
  readonly pagesRead: number
  /** Characters after which the last of these was cut. Absent: it was not. */
  readonly cutAt?: number
  /** Cells after which the last table was cut. Absent: it was not. */
  readonly cellsCutAt?: number
  /**
   * As Markdown: paragraphs apart, large lines as headings, pages marked `[page 2]`. Empty where it
   * holds pictures alone.
   */
  readonly text: string
  /** The same, page by page: empty for a page without text. */
  readonly texts: readonly string[]
  /** In the order of the pages. Absent: the document has no tables. */
  readonly tables?: readonly DocumentTable[]
  /** The reading's part of the page's budget, and the losses that it made. Absent: nothing. */
  readonly spent?: PageSpent
}

/** A document as a web page: what is known of it is in the page's `head`. */
export interface DocumentHtml {
  readonly html: string
  /** The reading's part of the page's budget. Absent: nothing. */
  readonly spent?: PageSpent
}

/**
 * Reads a document, bounded in time, size and work: a Word file as HTML, others as text and tables.
 * `limits` are those of the whole page, of which the reader takes a share; absent: the default
 * ones. Once the share is used up, the document is what was read until then.
 *
 * @throws {DocumentFailure} for anything but a readable file
 * @throws {PageFailure} if the share was used up before anything was read; otherwise only the
 *   signal's reason
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
