import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { ParamValues } from '../../engine/recipe/fill-blanks.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { notFound } from '../../kernel/errors.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { dailyCapOf } from '../ledger/daily-cap.ts'
import { dayOf } from '../common/time.ts'
import { estimateOf, mostStarts } from '../ledger/estimate.ts'
import type { Recipes, StartInput } from '../recipes/service.ts'
import { takeRecipe } from '../recipes/service.ts'
import type { Core } from '../core.ts'

/** The maximum cost of an execution before it is started. */
export interface CostEstimate {
  readonly pages: number
  readonly credits: number
  /** The longest time that it may take. `null`: no limit. */
  readonly seconds: number | null
  readonly boundedBy: {
    /**
     * `start_urls`: it follows no links, and visits its start URLs and the pages that its search
     * finds. `max_pages`: the recipe's limits apply, or the platform's.
     */
    readonly pages: 'start_urls' | 'max_pages'
    /** `pages`: every page at the highest price. `budget`: the recipe's maximum credits. */
    readonly credits: 'pages' | 'budget'
  }
  readonly wallet: {
    /** Credits that an execution can reserve now. `null`: no limit. */
    readonly spendable: number | null
    /**
     * Credits left of today's cap (UTC). `null`: no cap. A run that reaches the cap stops and omits
     * the rest.
     */
    readonly leftToday: number | null
    /**
     * True if all `credits` can be spent. If not, a run stops when the rest is spent, with the
     * reason `balance_limit`. If the rest does not pay for a page, the start is refused.
     */
    readonly enough: boolean
  }
  /** Credits a page costs, by outcome. Unnamed outcomes are free. */
  readonly prices: Readonly<Record<string, number>>
}

/** Cost estimates of executions. Nothing is fetched or written. */
export interface Estimates {
  /** @throws {PlatformError} 400 for a recipe that cannot be run, with paths below `recipe` */
  recipe(
    principal: Principal,
    recipe: RecipeInput | ParsedRecipe,
    params?: ParamValues,
  ): Promise<CostEstimate>
  /**
   * Estimates a task, with the overrides of the execution.
   *
   * @throws {PlatformError} 404; 400 at an invalid override
   */
  task(principal: Principal, taskId: string, input?: StartInput): Promise<CostEstimate>
}

/** The service of estimates. */
export function createEstimates(
  { records, ledger, tariff: { prices }, clock }: Core,
  recipes: Recipes,
): Estimates {
  const weigh = async (account: string, plan: CrawlPlan): Promise<CostEstimate> => {
    const now = clock.now()
    const { pages, credits } = estimateOf(plan, prices)
    // The account's session is opened as a start would open it, but nothing is written.
    const session = await ledger.open(account, now)
    const cap = dailyCapOf(session.plan, session.subscription?.value)
    const takenToday =
      cap === null ? 0 : ((await records.days.get(account, dayOf(now)))?.value.taken ?? 0)
    const spendable = session.credits.wallet - session.floor
    return {
      pages,
      credits,
      seconds: plan.limits.maxSeconds,
      boundedBy: {
        pages:
          !plan.discovers && mostStarts(plan) <= plan.limits.maxPages ? 'start_urls' : 'max_pages',
        credits: credits === plan.limits.maxCredits ? 'budget' : 'pages',
      },
      wallet: {
        spendable: spendable === Infinity ? null : Math.max(0, spendable),
        leftToday: cap === null ? null : Math.max(0, cap - takenToday),
        enough: credits === 0 || credits <= spendable,
      },
      prices: { fetched: 0, unchanged: 0, ...prices },
    }
  }
  return {
    async recipe({ account }, recipe, params = {}) {
      return weigh(account, (await recipes.override(takeRecipe(recipe), { params })).plan)
    },
    async task({ account }, taskId, input = {}) {
      const task = await records.tasks.get(account, taskId)
      if (!task) throw notFound('Task')
      const { plan } = await recipes.override(await recipes.takeStored(task.value.recipe), input)
      return weigh(account, plan)
    },
  }
}
