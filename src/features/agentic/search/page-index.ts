import type { FoundByRecord } from '../records.ts'
import { eachFew } from '../../../records/paginate.ts'
import { Pace } from '../../../kernel/pace.ts'
import type { Records } from '../../records.ts'
import type { ExecutionRecord } from '../../executions/records.ts'
import { urlIdentity } from '../../../kernel/url.ts'
import type { ToolResult } from '../tool-schema.ts'
import type { CrawledPages } from './crawled-pages.ts'
import { isPageId, forgetPages } from './findable-page.ts'
import { passage, queryWords, rank } from './rank.ts'

/** A page that was found, in the form of a `search` result. */
export type SearchHit = ToolResult<'search'>['results'][number]

/** True if a caller may read the pages of an execution. */
export type Sees = (execution: ExecutionRecord) => boolean

/**
 * Full-text index of the pages that an account has fetched. Bounded: the newest pages replace the
 * oldest.
 */
export interface PageIndex {
  /**
   * Best match first. Each address is found once, by the newest page that the caller may see
   * (default: all pages). Pages that executions have fetched since the last search are indexed
   * first.
   */
  search(account: string, query: string, limit: number, sees?: Sees): Promise<SearchHit[]>
  /** Deletes pages beyond the limits, including their text. */
  trim(account: string): Promise<void>
}

/** Limit on an account's pages in the index. */
const MOST_PAGES = 1_000
/** Limit on the stored characters of all pages, about 40 MB. */
const MOST_SIZE = 40_000_000
/**
 * Number of pages that are read at once. Each has up to 30 KB of words, and a store parses all of
 * them in one step.
 */
const AT_ONCE = 25

/**
 * Opens the index. Its records are small and a search reads all of them, so there is nothing to
 * load, keep in memory or rebuild.
 */
export function createPageIndex({
  records,
  crawled,
}: {
  readonly records: Records
  readonly crawled: CrawledPages
}): PageIndex {
  const newest = async (account: string, pace: Pace): Promise<FoundByRecord[]> => {
    const pages: FoundByRecord[] = []
    while (pages.length < MOST_PAGES) {
      const last = pages.at(-1)
      const read = await records.foundBy.list(account, {
        reverse: true,
        limit: Math.min(AT_ONCE, MOST_PAGES - pages.length),
        ...(last && { before: [last.at, last.source, last.seq] }),
      })
      pages.push(...read.map(({ value }) => value))
      const rest = pace.step()
      if (rest) await rest
      if (read.length < AT_ONCE) break
    }
    return pages
  }

  const seenBy = async (
    sees: Sees,
    account: string,
    pages: readonly FoundByRecord[],
  ): Promise<FoundByRecord[]> => {
    const runs = [
      ...new Set(pages.filter(({ source }) => !isPageId(source)).map(({ source }) => source)),
    ]
    const seen = new Set<string>()
    for await (const { value } of eachFew(
      records.executions,
      account,
      runs.map((id) => [id]),
    ))
      if (value.rowsDeletedAt === undefined && sees(value)) seen.add(value.id)
    return pages.filter(({ source }) => isPageId(source) || seen.has(source))
  }

  return {
    async search(account, query, limit, sees) {
      const pace = new Pace()
      await crawled.takeIn(account, pace)
      const pages = await newest(account, pace)
      if (isFull(pages)) await forgetPages(records, account, lastKept(pages))
      const shown = sees ? await seenBy(sees, account, pages) : pages
      const words = queryWords(query)
      if (words.length === 0) return []
      // The first entry of a URL is the newest.
      const byAddress = new Map<string, FoundByRecord>()
      for (const page of shown) {
        const address = urlIdentity(page.url)
        if (!byAddress.has(address)) byAddress.set(address, page)
        const rest = pace.step()
        if (rest) await rest
      }
      const best = (await rank([...byAddress.values()], words, pace)).slice(0, limit)
      const excerpts = await records.excerpts.getMany(
        account,
        best.map(({ at, source, seq }) => [at, source, seq]),
      )
      const hits: SearchHit[] = []
      for (const [index, { id, title, url }] of best.entries()) {
        hits.push({ id, title, url, text: passage(excerpts[index]?.value.text ?? '', words) })
        const rest = pace.step()
        if (rest) await rest
      }
      return hits
    },

    async trim(account) {
      const pages = await newest(account, new Pace())
      if (isFull(pages)) await forgetPages(records, account, lastKept(pages))
    },
  }
}

function isFull(pages: readonly FoundByRecord[]): boolean {
  return pages.length === MOST_PAGES || pages.reduce((sum, { size }) => sum + size, 0) > MOST_SIZE
}

/** The oldest page within the limits. */
function lastKept(pages: readonly FoundByRecord[]): FoundByRecord | null {
  let size = 0
  const beyond = pages.findIndex((page) => (size += page.size) > MOST_SIZE)
  return (beyond < 0 ? pages.at(-1) : pages[beyond - 1]) ?? null
}
