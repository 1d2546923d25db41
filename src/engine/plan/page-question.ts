import type { Row } from '../../kernel/json.ts'
import type { PageQuestion } from '../../ports/page-processor.ts'
import { feedMarkdown } from '../extract/format/feed.ts'
import { formatPage } from '../extract/format/format-page.ts'
import { toMarkdown } from '../extract/format/markdown.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { makeJson } from '../extract/page/parse-json.ts'
import type { RowNode } from '../extract/source/reader.ts'
import { textOf } from '../extract/tree/text-content.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { ModelPlan } from './compile-model.ts'

/** Limits of a question: characters of a page, characters of one item, and items. */
const MOST_TEXT = 60_000
const MOST_ITEM_TEXT = 4_000
const MOST_ITEMS = 200
const MOST_TITLE = 300
/** Minimum length of the main content. A shorter one may be detected wrongly. */
const HARDLY_ANY = 200

/**
 * Returns the question to a model about a page, or `null` if the recipe leaves nothing to it or the
 * page has nothing to read. `found`: true if the page itself gave a value.
 */
export function questionOf(
  { rows: kind, columns }: ModelPlan,
  page: PageContent,
  rows: readonly Row[],
  nodes: readonly RowNode[],
  isDetected: boolean,
): PageQuestion | null {
  const names = columns.map(({ column }) => column)
  const open = rows.flatMap((row, index) =>
    names.some((column) => !hasValue(row[column])) ? [index] : [],
  )
  if (open.length === 0) return null
  const { parts, cut } = kind === 'items' ? itemParts(page, open, nodes) : pageParts(page)
  if (parts.length === 0) return null
  const title =
    page.kind === 'html' ? page.tree.elements.find(({ name }) => name === 'title') : undefined
  return {
    url: page.url,
    title:
      title === undefined ? null : textOf(title, page.budget).slice(0, MOST_TITLE).toWellFormed(),
    baseUrl: page.baseUrl,
    parts,
    cut,
    found: isDetected,
    columns: names.filter((column) => open.some((index) => !hasValue(rows[index]?.[column]))),
  }
}

type Parts = Pick<PageQuestion, 'parts' | 'cut'>

function pageParts(page: PageContent): Parts {
  const text = pageText(page)
  return {
    parts: text === '' ? [] : [{ row: 0, text: shortened(text, MOST_TEXT) }],
    cut: text.length > MOST_TEXT,
  }
}

function itemParts(page: PageContent, open: readonly number[], nodes: readonly RowNode[]): Parts {
  const parts: { readonly row: number; readonly text: string }[] = []
  let [left, cut] = [MOST_TEXT, false]
  for (const row of open) {
    const text = itemText(page, nodes[row] ?? { element: null })
    if (text === '') continue
    const most = Math.min(MOST_ITEM_TEXT, left)
    if (parts.length === MOST_ITEMS || most === 0) return { parts, cut: true }
    cut ||= text.length > most
    left -= Math.min(text.length, most)
    parts.push({ row, text: shortened(text, most) })
  }
  return { parts, cut }
}

function pageText(page: PageContent): string {
  const main = feedMarkdown(page)?.text ?? formatPage(page, 'markdown')
  const text = typeof main === 'string' ? main.trim() : ''
  return text.length < HARDLY_ANY && page.readable.trim().length > text.length
    ? page.readable.trim()
    : text
}

function itemText(page: PageContent, { element, item }: RowNode): string {
  if (item !== undefined) {
    makeJson(item, page.budget)
    return JSON.stringify(item)
  }
  if (element === null) return ''
  const [markdown, text] = [toMarkdown(element, page), textOf(element, page.budget)]
  // Forms and buttons are not page content, but an item may consist of them.
  return markdown.length >= text.length
    ? markdown
    : [markdown, text].filter((part) => part !== '').join('\n\n')
}

function shortened(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).toWellFormed()
}
