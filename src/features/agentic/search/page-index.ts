import type { FoundByRecord } from '../records.ts'
import { eachFew } from '../../../records/paginate.ts'
import type { Records } from '../../records.ts'
import type { ExecutionRecord } from '../../executions/records.ts'
import { urlIdentity } from '../../../kernel/url.ts'
import type { ToolResult } from '../tool-schema.ts'
import type { CrawledPages } from './crawled-pages.ts'
import { isPageId, forgetPages } from './findable-page.ts'
import { passage, queryWords, rank } from './rank.ts'

/** A page that was found, as `search` answers with it. */
export type SearchHit = ToolResult<'search'>['results'][number]

/** Whether a caller may read what an execution has fetched. */
export type Sees = (execution: ExecutionRecord) => boolean

/** What an account has fetched, by its words. Bounded: the newest pages push out the oldest. */
export interface PageIndex {
  /**
   * Best first; of one address the newest page alone that the caller sees (default: all). What
   * executions have fetched since is taken in before.
   */
  search(account: string, query: string, limit: number, sees?: Sees): Promise<SearchHit[]>
  /** Forgets what is beyond the bounds, text included. */
  trim(account: string): Promise<void>
}

/** Pages of an account that can be found. */
const MOST_PAGES = 1_000
/** Characters that are kept of all of them, about 40 MB. */
const MOST_SIZE = 40_000_000
/**
 * Opens the index. Its records are small, and a search looks through all of them: so nothing has to
 * be loaded, kept in memory or rebuilt.
 */
export function createPageIndex({
  records,
  crawled,
}: {
  readonly records: Records
  readonly crawled: CrawledPages
}): PageIndex {
  const newest = async (account: string): Promise<FoundByRecord[]> =>
    (await records.foundBy.list(account, { reverse: true, limit: MOST_PAGES })).map(
      ({ value }) => value,
    )

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
      if (sees(value)) seen.add(value.id)
    return pages.filter(({ source }) => isPageId(source) || seen.has(source))
  }

  return {
    async search(account, query, limit, sees) {
      await crawled.takeIn(account)
      const pages = await newest(account)
      if (isFull(pages)) await forgetPages(records, account, lastKept(pages))
      const shown = sees ? await seenBy(sees, account, pages) : pages
      const words = queryWords(query)
      if (words.length === 0) return []
      // The first of a URL is the newest.
      const byAddress = new Map<string, FoundByRecord>()
      for (const page of shown) {
        const address = urlIdentity(page.url)
        if (!byAddress.has(address)) byAddress.set(address, page)
      }
      const best = rank([...byAddress.values()], words).slice(0, limit)
      const excerpts = await records.excerpts.getMany(
        account,
        best.map(({ at, source, seq }) => [at, source, seq]),
      )
      return best.map(({ id, title, url }, at) => ({
        id,
        title,
        url,
        text: passage(excerpts[at]?.value.text ?? '', words),
      }))
    },

    async trim(account) {
      const pages = await newest(account)
      if (isFull(pages)) await forgetPages(records, account, lastKept(pages))
    },
  }
}

function isFull(pages: readonly FoundByRecord[]): boolean {
  return pages.length === MOST_PAGES || pages.reduce((sum, { size }) => sum + size, 0) > MOST_SIZE
}

/** The oldest page that is within the bounds. */
function lastKept(pages: readonly FoundByRecord[]): FoundByRecord | null {
  let size = 0
  const beyond = pages.findIndex((page) => (size += page.size) > MOST_SIZE)
  return (beyond < 0 ? pages.at(-1) : pages[beyond - 1]) ?? null
}
