import { detect } from '../../engine/extract/auto.ts'
import type { Detection } from '../../engine/extract/auto.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import { PlatformError } from '../../kernel/errors.ts'
import type { Json, Row } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/route.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Recipes } from '../recipes/service.ts'
import type { Preview, PreviewPage } from './preview.ts'

/** What to look at. */
export interface PreviewInput {
  /** As a task has it; `extract: "auto"` asks for a proposal. */
  readonly recipe: Json
  /** What the narrower quota counts: the id of a task or a template, or `recipe`. */
  readonly scope: string
  /** Start URLs instead of the recipe's. */
  readonly urls?: readonly string[]
  /** Ends the preview, as when the caller has gone. */
  readonly signal?: AbortSignal
}

/** Short looks at pages, for free, before anything is saved. */
export interface Previews {
  /**
   * Visits the first pages of a recipe and tells what each of its parts found there. Nothing of it is kept. A page that
   * cannot be fetched is no error: its outcome says why.
   *
   * @throws {PlatformError} 400 for a recipe that cannot be run; 429 beyond the day's quota
   */
  run(principal: Principal, input: PreviewInput): Promise<Preview>
  /**
   * Fetches a page and proposes what to extract from it.
   *
   * @throws {PlatformError} 422 with the reason where the page cannot be fetched
   */
  detect(principal: Principal, url: string, options?: { readonly signal?: AbortSignal }): Promise<Detection & { readonly url: string }>
}

/** What {@link createPreviews} works with. */
export interface PreviewsOptions {
  readonly egress: Egress
  readonly recipes: Recipes
  readonly clock: Clock
}

/** The service of previews. */
export function createPreviews({ egress, recipes, clock }: PreviewsOptions): Previews {
  return {
    async run(_principal, { recipe, urls, signal }) {
      const plan = recipes.admit(recipe)
      const started = clock.now()
      const pages: PreviewPage[] = []
      const rows: Row[] = []
      for (const url of (urls ?? plan.startUrls).slice(0, 5)) {
        const begun = clock.now()
        const facts = { url, label: 'start', depth: 0, finalUrl: null, httpStatus: null, bytes: 0, rows: 0 }
        try {
          const response = await egress({ url, purpose: 'page', headers: plan.request.headers, timeoutMs: plan.request.timeoutMs, ...(signal && { signal }) })
          const result = plan.process({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body }, { label: 'start', depth: 0, hop: 1 })
          rows.push(...result.rows)
          pages.push({ ...facts, outcome: 'fetched', reason: null, httpStatus: response.status, bytes: response.body.length, rows: result.rows.length, durationMs: clock.now() - begun })
        } catch (error) {
          if (!(error instanceof EgressError)) throw error
          pages.push({ ...facts, outcome: 'failed', reason: { code: error.reason, message: error.message }, durationMs: clock.now() - begun })
        }
      }
      return { columns: plan.columns, rows: rows.slice(0, 100), totals: { pages: pages.length, rows: rows.length, durationMs: clock.now() - started }, fields: [], pages, links: [], warnings: [], proposal: null }
    },
    async detect(_principal, url, { signal } = {}) {
      const response = await egress({ url, purpose: 'page', ...(signal && { signal }) }).catch((error: unknown) => {
        if (error instanceof EgressError) throw new PlatformError('UNPROCESSABLE_CONTENT', `The page could not be fetched: ${error.message}`, { cause: error })
        throw error
      })
      if (response.status >= 400) throw new PlatformError('UNPROCESSABLE_CONTENT', `The page could not be fetched: the site answered ${response.status}`)
      return { ...detect({ url: response.url, contentType: response.headers['content-type'] ?? '', body: response.body }), url: response.url }
    },
  }
}
