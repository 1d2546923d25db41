import { notFound } from '../../kernel/errors.ts'
import type { Json } from '../../kernel/json.ts'
import type { Principal } from '../../kernel/http/route.ts'
import type { Logger } from '../../ports/logger.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import type { Records } from '../records.ts'
import type { Shares } from '../limits/shares.ts'
import type { Recipes } from '../recipes/service.ts'
import type { JsonObject } from '../tasks/schema.ts'
import type { InspectOptions } from './inspect.ts'
import { objectOf } from './preview.ts'
import type { Preview } from './preview.ts'
import { createPreviewCounter } from './quotas.ts'
import type { PreviewQuotas } from './quotas.ts'

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
   * Visits the first pages of a recipe and tells what each of its parts found there. Nothing of it
   * is kept. A page that cannot be fetched is no error: its outcome says why.
   *
   * @throws {PlatformError} 400 for a recipe that cannot be run, which counts for nothing; 429
   *   beyond the day's quota, and where too many of the account run and wait
   */
  run(principal: Principal, input: PreviewInput): Promise<Preview>
  /**
   * The same for a task's recipe, with changes that are not saved.
   *
   * @throws {PlatformError} 404 as well
   */
  runTask(principal: Principal, taskId: string, input?: TaskPreviewInput): Promise<Preview>
  /**
   * Fetches a page and proposes what to extract from it.
   *
   * @throws {PlatformError} 422 with the reason where the page cannot be fetched
   */
  detect(
    principal: Principal,
    url: string,
    options?: { readonly signal?: AbortSignal },
  ): Promise<PageDetection & { readonly url: string }>
}

/** What {@link createPreviews} works with. */
export interface PreviewsOptions extends InspectOptions {
  readonly recipes: Recipes
  readonly records: Records
  readonly shares: Shares
  readonly logger: Logger
  /** The quotas of an account. */
  readonly quotasOf: (account: string) => PreviewQuotas | Promise<PreviewQuotas>
}

/** The service of previews. */
export function createPreviews({
  recipes,
  records,
  shares,
  logger,
  quotasOf,
  ...options
}: PreviewsOptions): Previews {
  const counter = createPreviewCounter({ records, clock: options.clock })

  const run: Previews['run'] = async (principal, { recipe, scope, urls, signal }) => {
    const [quotas, admit, pages, { inspect: look, openDryRun: openTrial }] = await Promise.all([
      quotasOf(principal.account),
      recipes.prepare(recipe),
      options.pagesOf(principal.account),
      import('./inspect.ts'),
    ])
    const { account } = principal
    const dryRun = openTrial(recipe, urls, admit, (one) => pages.open(one), quotas.urls)
    // Who is turned away here has had no preview.
    const leave = await shares.looks.enter(account, { signal })
    let giveBack = async (): Promise<void> => undefined
    try {
      giveBack = (await counter.take(principal, scope, quotas)).giveBack
      return await look(options, account, dryRun, quotas.urls, signal)
    } catch (error) {
      await giveBack().catch((cause: unknown) =>
        logger.warn('A failed preview could not be given back', { error: cause }),
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
        recipe: { ...objectOf(task.value.recipe), ...recipe },
        scope: taskId,
      })
    },
    async detect({ account }, url, { signal } = {}) {
      const { detectAt } = await import('./inspect.ts')
      return shares.looks.run(account, () => detectAt(options, account, url, signal), signal)
    },
  }
}
