import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import { Change } from '../../records/change.ts'
import { callerOf, countOutside } from '../common/usage.ts'
import type { CountedPage } from '../common/usage.ts'
import type { Recipes } from '../recipes/service.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { DetectOptions, Preview } from './preview.ts'
import type { Snapshots } from '../snapshots/service.ts'
import { once } from '../../kernel/concurrency.ts'
import { quotasOfPlan } from './quotas.ts'
import type { PreviewQuotas } from './quotas.ts'
import type { Core } from '../core.ts'
import type { WebAccess } from '../common/web-access.ts'

/** Input of a preview. */
export interface PreviewInput {
  /** A task's recipe. `extract: "auto"` asks for a proposal. */
  readonly recipe: RecipeInput | ParsedRecipe
  /** The scope of the narrower quota: the id of a task or a template, or `recipe`. */
  readonly scope: string
  /** Values of the recipe's parameters. */
  readonly params?: ParamValues
  /** Start URLs instead of the recipe's. */
  readonly urls?: readonly string[]
  /** Keeps the visited pages for an hour (`PreviewPage.snapshot`). */
  readonly keep?: boolean
  /**
   * Ids of kept pages that are visited in place of the web; the first is the start page. Such a
   * preview uses no quota.
   */
  readonly snapshots?: readonly string[]
  /**
   * Ends the preview, for example when the caller has gone. The results found by then are the
   * answer.
   */
  readonly signal?: AbortSignal
}

/** How the preview differs from the task. */
export interface TaskPreviewInput extends Pick<PreviewInput, 'params' | 'urls' | 'signal'> {
  /** Parts that replace those of the task's recipe. */
  readonly recipe?: Partial<RecipeInput>
}

/**
 * Short, free runs of a recipe before it is saved. Their pages count in analytics, without rows and
 * credits.
 */
export interface Previews {
  /**
   * Visits the first pages of a recipe and reports what each of its parts found there. Stores no
   * results. A page that cannot be fetched is not an error: its outcome gives the reason.
   *
   * @throws {PlatformError} 400 for a recipe that cannot be run, which does not count against the
   *   quota; 422 if the same preview has just ended the threads that worked on its pages; 429
   *   beyond the day's quota, and if too many requests of the account are running and waiting
   */
  run(principal: Principal, input: PreviewInput): Promise<Preview>
  /**
   * Previews a task's recipe with unsaved changes.
   *
   * @throws {PlatformError} as {@link Previews.run}, and 404
   */
  runTask(principal: Principal, taskId: string, input?: TaskPreviewInput): Promise<Preview>
  /**
   * Explains a page that an execution has kept: the matches of each part of the recipe, and why a
   * source found nothing. Nothing is visited, charged or stored, no model is asked, and no quota is
   * used.
   *
   * @throws {PlatformError} 404 for an execution or a page that is not there; 409 for an execution
   *   that has kept no pages; 422 if the same explanation has just ended the threads that worked
   *   on its page; 429 if too many requests of the account are running and waiting
   */
  explain(
    principal: Principal,
    execution: string,
    url: string,
    options?: Pick<PreviewInput, 'signal'>,
  ): Promise<Preview>
  /**
   * Fetches a page, if its robots.txt allows that, and proposes what to extract from it.
   *
   * @throws {PlatformError} 400 or 404 for a `page` that cannot be used; 422 with the reason if the page
   *   cannot be fetched
   */
  detect(
    principal: Principal,
    url: string,
    options?: DetectOptions,
  ): Promise<PageDetection & { readonly url: string }>
}

/** The service of previews. */
export function createPreviews(
  core: Core,
  web: WebAccess,
  recipes: Recipes,
  platform: PreviewQuotas,
  snapshots: Snapshots,
): Previews {
  const { records, shares, logger, clock } = core
  const openCounter = once(async () =>
    (await import('./counter.ts')).createPreviewCounter({ records, clock }),
  )

  const openCostly = once(async () => {
    const { CostlyPreviews } = await import('./costly-previews.ts')
    return new CostlyPreviews(clock)
  })

  /** Counts visited pages. They cost nothing, so the answer is returned even if counting fails. */
  const count = async (
    principal: Principal,
    pages: readonly Omit<CountedPage, 'rows' | 'credits'>[],
  ): Promise<void> => {
    if (pages.length === 0) return
    const change = new Change()
    countOutside(
      records,
      change,
      principal.account,
      'preview',
      pages.map(({ outcome, reason, bytes }) => ({ outcome, reason, bytes, rows: 0, credits: 0 })),
      callerOf(principal),
      clock.now(),
    )
    await records
      .commit(change)
      .catch((error: unknown) =>
        logger.warn('The pages of a preview could not be counted', { error }),
      )
  }
  const run: Previews['run'] = async (principal, input) => {
    const { recipe, scope, params, urls, signal } = input
    const [openPages, quotas, pages, { inspect, openDryRun }] = await Promise.all([
      Promise.all((input.snapshots ?? []).map((id) => snapshots.open(principal.account, id))),
      core.planOf(principal.account).then((plan) => quotasOfPlan(plan, platform)),
      web.pagesOf(principal.account),
      import('./inspect.ts'),
    ])
    const { account } = principal
    const [first] = openPages
    const dryRun = await openDryRun(
      recipe,
      { params, urls: first === undefined ? urls : [first.requestedUrl ?? first.url] },
      recipes,
      (opened) => pages.open(opened.written),
      quotas.urls,
    )
    const costly = await openCostly()
    const key = await costly.keyOf(account, dryRun.recipe.written)
    costly.demand(key)
    const inspectNoting: typeof inspect = async (...of) =>
      inspect(...of).finally(() => {
        if (dryRun.threadEnd !== null) costly.note(key, dryRun.threadEnd)
      })
    // A caller that is refused here has not used up a preview.
    const leave = await shares.inspections.enter(account, { signal })
    if (first !== undefined) {
      const { webOfKept } = await import('./kept-web.ts')
      const options = { maxUrls: openPages.length, kept: openPages, signal }
      return inspectNoting(webOfKept(web, openPages), account, dryRun, options).finally(leave)
    }
    let giveBack = async (): Promise<void> => undefined
    try {
      giveBack = (await (await openCounter()).take(principal, scope, quotas)).giveBack
      const preview = await inspectNoting(web, account, dryRun, {
        maxUrls: quotas.urls,
        keep: input.keep === true ? (page) => snapshots.keep(account, page) : undefined,
        signal,
      })
      await count(principal, preview.pages)
      return preview
    } catch (error) {
      await giveBack().catch((cause: unknown) =>
        logger.warn('A failed preview could not be returned to the quota', { error: cause }),
      )
      throw error
    } finally {
      leave()
    }
  }

  return {
    run,
    async runTask(principal, taskId, { recipe, ...rest } = {}) {
      const task = await records.tasks.get(principal.account, taskId)
      if (!task) throw notFound('Task')
      return run(principal, {
        ...rest,
        recipe: { ...task.value.recipe, ...recipe },
        scope: taskId,
      })
    },
    async explain({ account }, execution, url, { signal } = {}) {
      const { explainPage } = await import('./explain-page.ts')
      const page = { account, execution, url, signal }
      return explainPage(core, web, recipes, await openCostly(), page)
    },
    async detect(principal, url, options = {}) {
      const { account } = principal
      const { detectAt } = await import('./inspect.ts')
      return shares.inspections.run(
        account,
        () => detectAt(web, recipes, account, url, options, (page) => count(principal, [page])),
        options.signal,
      )
    },
  }
}
