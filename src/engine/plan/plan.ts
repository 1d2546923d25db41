import type { FailedPage, Page, PageResult, Visit } from '../../ports/page-processor.ts'
import type { Row } from '../../kernel/json.ts'
import type { ModelPlan } from './compile-model.ts'
import type { MediaPath } from '../recipe/columns.ts'
import type { PageBudget } from '../extract/page/page-budget.ts'
import type { RenderPlan } from './compile-render.ts'
import type { PageWork } from '../../kernel/price.ts'

/** What to search for, and how many results are wanted. */
export interface StartSearch {
  readonly query: string
  readonly limit: number
}

/**
 * A compiled recipe: selectors parsed once, defaults applied. Pure and synchronous; never throws on
 * page content, however hostile: a page's budget bounds the work on it and what is made of it.
 */
export interface Plan {
  /** Absolute start URLs with ranges expanded, normalised, in order, without repeats. */
  readonly startUrls: readonly string[]
  readonly sitemap: string | null
  /** A feed whose entries are start pages. */
  readonly feed: string | null
  /** A search whose results are start pages. */
  readonly search: StartSearch | null
  readonly columns: readonly string[]
  /** Whether PDFs are read on such a visit; otherwise they give nothing. */
  readsPdf(visit: Visit): boolean
  /**
   * True where the recipe leaves to its first page what is not known before; see `detectRecipe`.
   * Until then each page is looked at by itself, and `columns` are those that are named.
   */
  readonly detects: boolean
  /** Whether pages may be visited that are neither start URLs nor results of `search`. */
  readonly discovers: boolean
  /** Where rows have media, which `process` only names: `{ sourceUrl }`. */
  readonly media: readonly MediaPath[]
  readonly unique: readonly string[] | null
  readonly limits: {
    readonly maxPages: number
    readonly maxDepth: number
    readonly maxSeconds: number | null
    readonly maxCredits: number | null
  }
  /**
   * `together`: `concurrency` holds for all processes that visit pages together, as the recipe
   * names it; else for each.
   */
  readonly crawl: {
    readonly robots: boolean
    readonly delayMs: number
    readonly concurrency: number
    readonly together: boolean
  }
  /**
   * `headersTo`: the origins that get all of `headers`; others get those alone that hold no
   * secrets.
   */
  readonly request: {
    readonly headers: Readonly<Record<string, string>>
    readonly headersTo: readonly string[]
    readonly timeoutMs: number
    readonly render: RenderPlan | null
  }
  /** Whether a URL may be visited. */
  inScope(url: string): boolean
  /**
   * `budget`: what the page may cost; by default a fresh one. Where it ends, the result says so and
   * has what was made until then.
   */
  process(page: Page, visit: Visit, budget?: PageBudget): PageResult
  /** What a model is to read of pages; `null`: nothing. */
  readonly model: ModelPlan | null
  /**
   * What a page with a question has given, once it is known what else there is to its rows: those
   * of `process`, or others that it has become.
   */
  answered(result: PageResult, rows: readonly Row[]): PageResult
  /** How old pages may be that are not requested again; 0: all are. */
  readonly maxAgeMs: number
  /** Whether fetched pages are kept with the execution. */
  readonly keeps: boolean
  /** Whether rows tell on which page a link was found. */
  readonly wantsFoundOn: boolean
  /**
   * The row of a page that could not be fetched; `null` where the recipe does not want one
   * (`extract.failed`).
   */
  failed(page: FailedPage, visit: Visit): PageResult | null
}

/** What may be done with any page of a recipe: the dearest that it can come to. */
export function mostWork({ request, model }: Pick<Plan, 'request' | 'model'>): PageWork {
  return { rendered: request.render !== null, modelled: model !== null }
}
