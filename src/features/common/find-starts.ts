import type { StartSearch } from '../../engine/plan/plan.ts'

/** What a search gave to start from. */
export interface FoundStarts {
  /** Who was asked, as it calls itself. */
  readonly source: string
  /** Best first, each page once: none that the platform would refuse to fetch. */
  readonly urls: readonly string[]
}

/**
 * Searches for the start pages of an account's recipe.
 *
 * @throws {SearchFailure} with a message for callers, and whatever the signal throws
 */
export type FindStarts = (
  account: string,
  search: StartSearch,
  signal: AbortSignal,
) => Promise<FoundStarts>
