import type { Json } from '../../../kernel/json.ts'
import type { PdfText } from '../../../ports/pdf-reader.ts'

/** A PDF as the document that JSONPaths are of: `$.title`, `$.pageCount`, `$.pages[*].text`. */
export function pdfDocument({ title, author, date, language, pages, text, texts }: PdfText): Json {
  return {
    title,
    author,
    date,
    language,
    pageCount: pages,
    text,
    pages: texts.map((one, at) => ({ number: at + 1, text: one })),
  }
}
