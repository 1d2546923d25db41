import { refusalOf } from '../../../engine/egress/guard.ts'
import { SearchFailure } from '../../../kernel/failures.ts'
import { inTime } from '../../../kernel/in-time.ts'
import { identityOf, normaliseUrl } from '../../../kernel/url.ts'
import type { SearchProvider } from '../../../ports/search-provider.ts'
import type { FindStarts } from '../../common/web-access.ts'
import { createCrawledPages } from './crawled-pages.ts'
import { FETCHED_PAGES } from './finder.ts'
import { createPageIndex } from './page-index.ts'
import type { Core } from '../../core.ts'
import type { NormalUrl } from '../../../kernel/url.ts'

/**
 * Timeout in ms, because an application's own provider may never answer. The platform's egress has
 * its own limit.
 */
const PATIENCE_MS = 15_000

/**
 * Searches like the agents' `search`: with the provider if there is one, else in the pages that the
 * account has fetched.
 */
export function createFindStarts(
  { records, blobs, clock, logger, allowPrivateNetwork }: Core,
  provider: SearchProvider | null,
): FindStarts {
  const index = createPageIndex({ records, crawled: createCrawledPages({ records, blobs }) })
  const pagesOf = (hits: readonly { readonly url: string }[], limit: number): NormalUrl[] => {
    const urlByIdentity = new Map<string, NormalUrl>()
    for (const hit of hits) {
      const url = normaliseUrl(hit.url)
      if (
        url !== null &&
        refusalOf(url, { allowPrivateNetwork }) === null &&
        !urlByIdentity.has(identityOf(url))
      )
        urlByIdentity.set(identityOf(url), url)
    }
    return [...urlByIdentity.values()].slice(0, limit)
  }

  return async (account, { query, limit }, signal) => {
    signal.throwIfAborted()
    if (provider === null)
      return {
        source: FETCHED_PAGES,
        urls: pagesOf(await index.search(account, query, limit), limit),
      }
    try {
      const hits = await inTime(
        {
          clock,
          ms: PATIENCE_MS,
          signal,
          failure: () =>
            new SearchFailure('unreachable', 'The search service did not answer in time'),
        },
        (until) => provider.search(query, { limit, signal: until }),
      )
      return { source: provider.name, urls: pagesOf(hits, limit) }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SearchFailure) throw error
      logger.error('The search provider failed', { provider: provider.name, error })
      throw new SearchFailure('unusable', 'The search service returned no usable results', {
        cause: error,
      })
    }
  }
}
