import { notFound } from '../../kernel/errors.ts'
import type { Ids } from '../../kernel/id.ts'
import { urlIdentity } from '../../kernel/url.ts'
import type { ReadPageRecord } from '../../records/agentic-records.ts'
import type { Change } from '../../records/change.ts'
import type { Records } from '../../records/records.ts'
import type { ReadPage } from './read-page.ts'
import { splitText } from './split-text.ts'
import { UNTRUSTED } from './tool-schema.ts'
import type { ToolResult } from './tool-schema.ts'

/** A part of a page, as `fetch` answers with it. */
export type PagePart = ToolResult<'fetch'>

/** The pages that an account's agents have read, for as long as they are kept. */
export interface PageMemory {
  /** Adds a page to a commit; gives its first part. */
  keep(change: Change, account: string, page: ReadPage, now: number): PagePart
  /** A part by its id: that of a page, or a `nextId`. @throws {PlatformError} 404 */
  part(account: string, id: string): Promise<PagePart>
  /** The best matches first; of one address the newest page alone. */
  search(account: string, query: string): Promise<readonly { id: string; title: string; url: string; text: string }[]>
}

const KEPT_MS = 7 * 86_400_000
const LEAD = 2_000
const SNIPPET = 400
/** Newest pages that a search looks at. */
const SEARCHED = 300
const MOST_HITS = 10
const PART_ID = /^(page_\w+)(?:\.(\d{1,3}))?$/

/** Whether an id names a page that was read, and not an address. */
export function isPageId(id: string): boolean {
  return PART_ID.test(id)
}

/** Opens the memory. */
export function createPageMemory({ records, ids }: { readonly records: Records; readonly ids: Ids }): PageMemory {
  return {
    keep(change, account, page, now) {
      const { pieces, isCut } = splitText(page.text)
      const record: ReadPageRecord = { id: ids('page'), url: page.url, title: page.title.slice(0, 500), lead: page.text.slice(0, LEAD), metadata: { ...page.metadata, ...(isCut && { truncated: true }) }, pieces: pieces.length }
      records.readPages.put(change, account, record, now + KEPT_MS)
      pieces.forEach((text, index) => records.pagePieces.put(change, account, { page: record.id, index, text }, now + KEPT_MS))
      return partOf(record, 0, pieces[0] ?? '')
    },

    async part(account, id) {
      const [, page = '', at = '0'] = PART_ID.exec(id) ?? []
      const index = Number(at)
      const [record, piece] = await Promise.all([records.readPages.get(account, page), records.pagePieces.get(account, page, index)])
      if (!record || !piece) throw notFound('Page')
      return partOf(record.value, index, piece.value.text)
    },

    async search(account, query) {
      const words = [...new Set(wordsOf(query))]
      const pages = await records.readPages.list(account, { limit: SEARCHED, reverse: true })
      const newest = [...new Map(pages.toReversed().map(({ value }) => [urlIdentity(value.url), value])).values()].toReversed()
      return newest
        .map((page) => ({ page, score: scoreOf(page, words) }))
        .filter(({ score }) => score > 0)
        .toSorted((a, b) => b.score - a.score)
        .slice(0, MOST_HITS)
        .map(({ page }) => ({ id: page.id, title: page.title, url: page.url, text: snippetOf(page.lead, words) }))
    },
  }
}

function partOf({ id, title, url, metadata, pieces }: ReadPageRecord, index: number, text: string): PagePart {
  const next = index + 1 < pieces ? { nextId: `${id}.${index + 1}` } : {}
  return { id: index === 0 ? id : `${id}.${index}`, title, text, url, metadata: { ...metadata, part: index + 1, parts: pieces, ...next }, notice: UNTRUSTED }
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** A word of the title is worth four, of the address two; a page without one of the words is worth less than one with all. */
function scoreOf({ title, url, lead }: ReadPageRecord, words: readonly string[]): number {
  const fields = [[title.toLowerCase(), 4], [url.toLowerCase(), 2], [lead.toLowerCase(), 1]] as const
  const scores = words.map((word) => fields.reduce((sum, [text, weight]) => sum + (text.includes(word) ? weight : 0), 0))
  const found = scores.filter((score) => score > 0).length
  return found === 0 ? 0 : scores.reduce((sum, score) => sum + score, 0) + found * 10
}

function snippetOf(lead: string, words: readonly string[]): string {
  const lower = lead.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at >= 0))
  const start = Number.isFinite(first) ? Math.max(0, first - 80) : 0
  return lead.slice(start, start + SNIPPET)
}
