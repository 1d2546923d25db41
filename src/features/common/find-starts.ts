import type { StartSearch } from '../../engine/plan/plan.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** Start pages that a search has found. */
export interface FoundStarts {
  /** Name of the search source. */
  readonly source: string
  /** Best first, each page once, without pages that the platform would refuse to fetch. */
  readonly urls: readonly NormalUrl[]
}

/**
 * Searches the start pages of an account's recipe.
 *
 * @throws {SearchFailure} with a message for callers, and any error that the signal throws
 */
export type FindStarts = (
  account: string,
  search: StartSearch,
  signal: AbortSignal,
) => Promise<FoundStarts>
