import { detect } from '../../engine/extract/auto.ts'
import type { Detection } from '../../engine/extract/auto.ts'
import type { Robots } from '../../engine/crawl/robots.ts'
import { EgressError } from '../../engine/egress/types.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { Renderer } from '../../engine/render/renderer.ts'
import { PlatformError, badRequest, notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/route.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Logger } from '../../ports/logger.ts'
import type { Records } from '../../records/records.ts'
import type { Recipes } from '../recipes/service.ts'
import type { JsonObject } from '../tasks/schema.ts'
import type { Preview } from './preview.ts'
import { PreviewRun, pageOf } from './preview-run.ts'
import { createPreviewCounter } from './quotas.ts'
import type { PreviewQuotas } from './quotas.ts'
import { reportFields, reportRules } from './report.ts'
import { firstRows } from './shorten.ts'
import { Trial } from './trial.ts'
import { warningsOf } from './warnings.ts'

/** What to look at. */
export interface PreviewInput {
  /** As a task has it; `extract: "auto"` asks for a proposal. */
  readonly recipe: Json
  /** What the narrower quota counts: the id of a task or a template, or `recipe`. */
  readonly scope: string
  /** Start URLs instead of the recipe's. */
  readonly urls?: readonly string[]
  /** Ends the preview, as when the caller has gone; what was found by then is the answer. */
  readonly signal?: AbortSignal
}

/** What to look at differently from how a task has it. */
export interface TaskPreviewInput extends Pick<PreviewInput, 'urls' | 'signal'> {
  /** Parts of a recipe, which replace those of the task's. */
  readonly recipe?: JsonObject
}

/** Short looks at pages, for free, before anything is saved. */
export interface Previews {
  /**
   * Visits the first pages of a recipe and tells what each of its parts found there. Nothing of it is kept. A page that
   * cannot be fetched is no error: its outcome says why.
   *
   * @throws {PlatformError} 400 for a recipe that cannot be run, which counts for nothing; 429 beyond the day's quota
   */
  run(principal: Principal, input: PreviewInput): Promise<Preview>
  /** The same for a task's recipe, with changes that are not saved. @throws {PlatformError} 404 as well */
  runTask(principal: Principal, taskId: string, input?: TaskPreviewInput): Promise<Preview>
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
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly recipes: Recipes
  readonly records: Records
  readonly clock: Clock
  readonly logger: Logger
  /** The quotas of an account. */
  readonly quotasOf: (account: string) => PreviewQuotas | Promise<PreviewQuotas>
}

/** How long a preview may take. */
const LIMIT_MS = 20_000
const MOST_ROWS = 100

/** The service of previews. */
export function createPreviews({ egress, robots, renderer, recipes, records, clock, logger, quotasOf }: PreviewsOptions): Previews {
  const counter = createPreviewCounter({ records, clock })

  const look = async (trial: Trial, maxUrls: number, signal: AbortSignal | undefined): Promise<Preview> => {
    const started = clock.now()
    const stop = new AbortController()
    clock.sleep(LIMIT_MS, stop.signal).then(() => stop.abort(), () => {})
    const run = new PreviewRun({ trial, egress, robots, renderer, clock, maxUrls, deadline: started + LIMIT_MS, signal: signal ? AbortSignal.any([signal, stop.signal]) : stop.signal })
    try {
      await run.crawl()
    } finally {
      stop.abort()
    }
    const { proposal } = trial
    const { columns } = trial.plan
    const rows = firstRows(run.rows, MOST_ROWS)
    const fields = reportFields(columns, run)
    const links = reportRules(run.visited)
    return {
      columns, rows,
      totals: { pages: run.visited.length, rows: run.rows.length, durationMs: clock.now() - started },
      fields,
      pages: run.visited.map(pageOf),
      links,
      warnings: warningsOf({ trial, run, fields, links, maxUrls, shown: rows.length }),
      proposal,
    }
  }

  const run: Previews['run'] = async (principal, { recipe, scope, urls, signal }) => {
    const quotas = await quotasOf(principal.account)
    await recipes.prepare(recipe)
    const trial = admit(recipe, urls, recipes, quotas.urls)
    const { giveBack } = await counter.take(principal, scope, quotas)
    try {
      return await look(trial, quotas.urls, signal)
    } catch (error) {
      await giveBack().catch((cause: unknown) => logger.warn('A failed preview could not be given back', { error: cause }))
      throw error
    }
  }

  return {
    run,
    async runTask(principal, taskId, { recipe, ...rest } = {}) {
      const task = await records.tasks.get(principal.account, taskId)
      if (!task) throw notFound('Task')
      return run(principal, { ...rest, recipe: { ...objectOf(task.value.recipe), ...recipe }, scope: taskId })
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

const START_URLS = 'recipe.start.urls'

/** URLs that the caller names are all visited, or the preview is refused; of a recipe's own the first are. */
function admit(recipe: Json, urls: readonly string[] | undefined, recipes: Recipes, most: number): Trial {
  if (urls === undefined) return new Trial(recipe, recipes)
  const tooMany = badRequest([{ path: 'urls', message: `a preview visits ${most} URLs at most` }])
  if (urls.length > most) throw tooMany
  try {
    const trial = new Trial({ ...objectOf(recipe), start: { urls } }, recipes)
    if (trial.plan.startUrls.length > most) throw tooMany
    return trial
  } catch (error) {
    if (!(error instanceof PlatformError) || error.issues.length === 0) throw error
    throw badRequest(error.issues.map(({ path, message }) => ({ path: path.startsWith(START_URLS) ? `urls${path.slice(START_URLS.length)}` : path, message })))
  }
}

/** @throws {PlatformError} 400 */
function objectOf(recipe: Json): JsonObject {
  if (isObject(recipe)) return recipe
  throw badRequest([{ path: 'recipe', message: 'must be an object' }])
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
