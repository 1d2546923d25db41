/** The text of a PDF. What the file does not say is `null`. */
export interface PdfText {
  readonly title: string | null
  readonly author: string | null
  /** When it was made, ISO 8601. */
  readonly date: string | null
  readonly language: string | null
  /** Pages it has. */
  readonly pages: number
  /** Pages whose text is here: the first ones, where it has very many. */
  readonly pagesRead: number
  /** Characters after which the last of these was cut. Absent: it was not. */
  readonly cutAt?: number
  /**
   * As Markdown: paragraphs apart, large lines as headings, pages marked `[page 2]`. Empty where it
   * holds pictures alone.
   */
  readonly text: string
  /** The same, page by page: empty for a page without text. */
  readonly texts: readonly string[]
}

/**
 * Reads the text of a PDF, bounded in time and size.
 *
 * @throws {PdfFailure} for anything but a readable PDF; otherwise only the signal's reason
 */
export type PdfReader = (body: Uint8Array, signal: AbortSignal) => Promise<PdfText>
