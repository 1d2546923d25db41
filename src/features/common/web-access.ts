import type { Egress } from '../../engine/egress/types.ts'
import type { ReadByModelFor } from '../../engine/model/model-reader.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Clock } from '../../ports/clock.ts'
import type { DocumentReader } from '../../ports/document-reader.ts'
import type { SearchProvider } from '../../ports/search-provider.ts'
import type { PagesOf } from '../ledger/account-plan.ts'
import type { StartSearch } from '../../engine/plan/plan.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** The means to search, fetch and read pages. Previews, agents and executions share them. */
export interface WebAccess {
  readonly egress: Egress
  readonly robots: Robots
  /** `null`: recipes that need a browser are refused. */
  readonly renderer: Renderer | null
  /** Reads PDF and Office files for an account; accounts take turns. */
  readonly documentsOf: (account: string) => DocumentReader
  /** `null`: recipes that name a model are refused. */
  readonly model: ReadByModelFor | null
  readonly pagesOf: PagesOf
  /** `null`: the pages that an account has fetched are searched. */
  readonly search: SearchProvider | null
  readonly findStarts: FindStarts
  /** Times the pauses between requests, and the work on a page. */
  readonly clock: Clock
}

/** Start pages from the results of a search. */
export interface FoundStarts {
  /** Name of the search source. */
  readonly source: string
  /**
   * The best page first, each page once. Pages that the platform would refuse to fetch are left
   * out.
   */
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
