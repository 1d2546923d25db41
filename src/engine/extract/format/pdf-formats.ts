import type { PdfText } from '../../../ports/pdf-reader.ts'
import type { Metadata } from './metadata.ts'

const NOTHING: Metadata = {
  title: null,
  description: null,
  author: null,
  date: null,
  site: null,
  language: null,
  canonical: null,
  image: null,
  type: null,
}

/** What a PDF says of itself, as pages have it, with the number of its pages. */
export function pdfFacts({
  title,
  author,
  date,
  language,
  pages,
}: PdfText): Metadata & { readonly pages: number } {
  return { ...NOTHING, title, author, date, language, pages }
}

/** Its pages with a form feed between them, headings without their marks. */
export function plainText({ texts }: PdfText): string {
  return texts
    .map((text) => text.replace(/^## /gm, ''))
    .join('\n\f')
    .trim()
}
