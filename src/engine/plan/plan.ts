import type { DocumentFormat } from '../../ports/document-reader.ts'
import type { FailedPage, Page, PageResult, Visit } from '../../ports/page-processor.ts'
import type { Row } from '../../kernel/json.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import type { ModelPlan } from './compile-model.ts'
import type { MediaPath } from '../recipe/columns.ts'
import type { PageBudget } from '../extract/page/page-budget.ts'
import type { RenderPlan } from './compile-render.ts'
import type { PricedWork } from '../../kernel/price.ts'

/** A search query and the wanted number of results. */
export interface StartSearch {
  readonly query: string
  readonly limit: number
}

/**
 * A compiled recipe: selectors parsed once, defaults applied. Pure and synchronous. It never throws
 * on page content, however hostile: a page's budget limits the work and the output.
 */
export interface CrawlPlan {
  /** Absolute start URLs in order: ranges expanded, normalised, without duplicates. */
  readonly startUrls: readonly NormalUrl[]
  readonly sitemap: NormalUrl | null
  /** A feed whose entries are start pages. */
  readonly feed: NormalUrl | null
  /** A search whose results are start pages. */
  readonly search: StartSearch | null
  readonly columns: readonly string[]
  /** True if files of this format are read on this visit. A file that is not read gives no values. */
  readsDocument(visit: Visit, format: DocumentFormat): boolean
  /**
   * True if the recipe leaves parts to detection on its first page; see `detectRecipe`. Before
   * detection each page is processed separately, and `columns` holds only the named columns.
   */
  readonly detects: boolean
  /** True if a run may visit pages that are neither start URLs nor results of `search`. */
  readonly discovers: boolean
  /** Paths of media in rows. `process` only names the media: `{ sourceUrl }`. */
  readonly media: readonly MediaPath[]
  readonly unique: readonly string[] | null
  readonly limits: {
    readonly maxPages: number
    readonly maxDepth: number
    readonly maxSeconds: number | null
    readonly maxCredits: number | null
  }
  /**
   * `together`: the recipe sets `concurrency`, and it applies to all processes of the run together.
   * Otherwise `concurrency` applies to each process.
   */
  readonly crawl: {
    readonly robots: boolean
    readonly delayMs: number
    readonly concurrency: number
    readonly together: boolean
  }
  /**
   * `headersTo`: the origins that get all of `headers`. Other origins get only headers without
   * secrets.
   */
  readonly request: {
    readonly headers: Readonly<Record<string, string>>
    readonly headersTo: readonly string[]
    readonly timeoutMs: number
    readonly render: RenderPlan | null
  }
  /** True if a URL may be visited. */
  inScope(url: string): boolean
  /**
   * Processes a page. `budget`: the page's limit, by default a new one. If the budget ends, the
   * result says so, and contains the results up to that point.
   */
  process(page: Page, visit: Visit, budget?: PageBudget): PageResult
  /** The questions for a model about each page, or `null`. */
  readonly model: ModelPlan | null
  /**
   * Returns the result of a page with a question, once its rows are final: the rows of `process` or
   * their replacement.
   */
  answered(result: PageResult, rows: readonly Row[]): PageResult
  /** Maximum age of a page that is reused without a new request. 0 requests all pages. */
  readonly maxAgeMs: number
  /** True if fetched pages are stored with the run. */
  readonly keeps: boolean
  /** True if rows name the page on which their link was found. */
  readonly wantsFoundOn: boolean
  /**
   * Returns the row of a page that could not be fetched, or `null` if the recipe wants no such row
   * (`extract.failed`).
   */
  failed(page: FailedPage, visit: Visit): PageResult | null
}

/** Returns the most expensive work that any page of a recipe may need. */
export function mostWork({ request, model }: Pick<CrawlPlan, 'request' | 'model'>): PricedWork {
  return { rendered: request.render !== null, modelled: model !== null }
}
