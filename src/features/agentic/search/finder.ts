import { PlatformError } from '../../../kernel/errors.ts'
import { SearchFailure } from '../../../kernel/failures.ts'
import { normaliseUrl } from '../../../kernel/url.ts'
import type { Principal } from '../../../kernel/http/route.ts'
import type { Logger } from '../../../ports/logger.ts'
import type { SearchProvider, WebSearchHit } from '../../../ports/search-provider.ts'
import { mayReadRun } from '../../common/run-scopes.ts'
import type { PageIndex, SearchHit } from './page-index.ts'

/** Searches pages for agents. */
export interface Finder {
  /**
   * @throws {PlatformError} 503 if the provider gives no results; the message gives the reason, and
   *   when to retry
   */
  find(principal: Principal, query: string, signal: AbortSignal): Promise<SearchHit[]>
}

/** The source of results from the pages that the account has fetched. */
export const FETCHED_PAGES = 'fetched pages'

const MOST = 10
const LONGEST_TITLE = 300
const LONGEST_TEXT = 1_000

/** Searches with the provider if there is one, else in the account's own pages. */
export function createFinder({
  provider,
  index,
  logger,
}: {
  /** `null`: search the pages that the account has fetched. */
  readonly provider: SearchProvider | null
  readonly index: PageIndex
  readonly logger: Logger
}): Finder {
  return {
    async find(principal, query, signal) {
      if (provider === null)
        return index.search(principal.account, query, MOST, (run) =>
          mayReadRun(principal.scopes, run),
        )
      try {
        const hits = await provider.search(query, { limit: MOST, signal })
        return hits.slice(0, MOST).flatMap(resultOf)
      } catch (error) {
        signal.throwIfAborted()
        throw explain(provider.name, error, logger)
      }
    },
  }
}

/**
 * Converts a search result, which is other people's text. Keeps only links that `fetch` accepts,
 * and limits the text.
 */
function resultOf({ title, url: address, text }: WebSearchHit): SearchHit[] {
  const url = normaliseUrl(address)
  if (url === null) return []
  return [
    { id: url, title: plain(title, LONGEST_TITLE) || url, url, text: plain(text, LONGEST_TEXT) },
  ]
}

function plain(text: string, most: number): string {
  // A single space is not matched. Nearly all spaces are single, and replacing each would cost more
  // than all other work.
  return text
    .replace(/[^\S ]\s*| \s+/g, ' ')
    .trim()
    .slice(0, most)
    .toWellFormed()
}

function explain(name: string, error: unknown, logger: Logger): PlatformError {
  if (!(error instanceof SearchFailure)) {
    logger.error('The search provider failed', { provider: name, error })
    return new PlatformError(
      'SERVICE_UNAVAILABLE',
      `${name} could not be searched; a page can still be fetched by its URL`,
    )
  }
  logger.warn('The search provider returned no results', {
    provider: name,
    reason: error.reason,
    error,
  })
  const headers = error.retryAfter === null ? {} : { 'Retry-After': String(error.retryAfter) }
  return new PlatformError(
    'SERVICE_UNAVAILABLE',
    `${name} could not be searched: ${error.message}`,
    { headers },
  )
}
