import { countWords } from '../../engine/extract/format/count-words.ts'
import { feedMarkdown } from '../../engine/extract/format/feed.ts'
import { formatPage } from '../../engine/extract/format/format-page.ts'
import type { PageContent } from '../../engine/extract/page/page-content.ts'
import { parseJson } from '../../engine/extract/page/parse-json.ts'
import type { Json } from '../../kernel/json.ts'
import { PdfFailure } from '../../kernel/pdf-failure.ts'
import type { Page } from '../../ports/page-processor.ts'
import type { PdfReader } from '../../ports/pdf-reader.ts'
import { unreadable } from './unreadable.ts'

/** What an agent reads of a document. */
export interface DocumentText {
  readonly title: string | null
  /** Markdown; of a document that is no page and no feed, its text. */
  readonly text: string
  readonly facts: { readonly [name: string]: Json }
}

const FACTS = ['author', 'date', 'site', 'language', 'description'] as const
/** Characters of JSON that are still worth setting out. */
const MOST_JSON = 2_000_000

/** The text of a page of HTML, a PDF, a feed, JSON, XML, CSV or plain text. @throws {PlatformError} 422 for anything else, and where there is none */
export async function documentText(content: PageContent, page: Page, readPdf: PdfReader, signal: AbortSignal): Promise<DocumentText> {
  const document = content.kind === 'pdf' || isPdf(page) ? await pdfText(page.body, readPdf, signal) : textOf(content, page.contentType)
  return { ...document, facts: { ...Object.fromEntries(FACTS.map((name) => [name, null])), ...document.facts, wordCount: countWords(document.text) } }
}

/** The main content of a page, a feed or another document as text; `null` where there is none. */
export function mainText(content: PageContent): string | null {
  const text = content.kind === 'json' ? jsonText(content) : (feedMarkdown(content)?.text ?? formatPage(content, 'markdown') ?? formatPage(content, 'text'))
  return typeof text === 'string' && text.trim() !== '' ? text : null
}

function textOf(content: PageContent, contentType: string): DocumentText {
  if (content.kind === 'other') throw unreadable({ code: 'content_type', message: `It is ${contentType === '' ? 'of no known type' : contentType.slice(0, 100)}` })
  const text = mainText(content)
  if (text === null) throw unreadable({ code: 'no_text', message: 'It has no text' })
  const found = objectOf(formatPage(content, 'metadata'))
  const { title } = found
  return {
    title: typeof title === 'string' && title !== '' ? title : (feedMarkdown(content)?.title ?? null),
    text,
    facts: Object.fromEntries(FACTS.map((name) => [name, found[name] ?? null])),
  }
}

function jsonText(content: PageContent): string {
  const parsed = content.text.length > MOST_JSON ? undefined : parseJson(content.text)
  return parsed === undefined ? content.text : `\`\`\`json\n${JSON.stringify(parsed, null, 2)}\n\`\`\``
}

/** Its first bytes say so (ISO 32000-2, 7.5.2), whatever its type is called. */
function isPdf({ body }: Page): boolean {
  return String.fromCharCode(...body.subarray(0, 5)) === '%PDF-'
}

async function pdfText(body: Uint8Array, readPdf: PdfReader, signal: AbortSignal): Promise<DocumentText> {
  try {
    const { title, text, author, date, language, pages, pagesRead } = await readPdf(body, signal)
    if (text.trim() === '') throw unreadable({ code: 'no_text', message: 'It is a PDF without text' })
    return { title, text, facts: { author, date, language, pages, ...(pagesRead < pages && { pagesRead, truncated: true }) } }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof PdfFailure)) throw error
    throw unreadable({ code: 'pdf', message: error.message })
  }
}

function objectOf(value: Json): { readonly [name: string]: Json } {
  return isObject(value) ? value : {}
}

function isObject(value: Json): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
