import { withDefaults } from '../../kernel/options.ts'
import type { Records } from '../records.ts'
import { capsOf, planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'
import type { Shares } from '../limits/shares.ts'
import { DEFAULT_PAGE_LIMITS } from '../../engine/extract/page/page-limits.ts'
import type { Json } from '../../kernel/json.ts'
import type { OpenPages, OpenRecipe, PageProcessor } from '../../ports/page-processor.ts'
import type { PageLimits } from '../../ports/page-limits.ts'
import type { OpenRows, RowsSpec } from '../../ports/row-work.ts'

/**
 * Finds an account's plan, for code that asks often. Code that moves credits reads the subscription
 * itself, in the commit that depends on it.
 */
export type PlanOf = (account: string) => Promise<PlanDefinition>

/**
 * Finds plans of accounts. The plan is read each time, so that a changed plan applies from the next
 * call on, in every process. A tariff with a single plan needs no read.
 */
export function createPlanOf({
  records,
  tariff,
}: {
  readonly records: Records
  readonly tariff: Tariff
}): PlanOf {
  const only = tariff.plans.length === 1 ? Promise.resolve(tariff.plans[0]) : null
  return async (account) =>
    (await only) ?? planOf(tariff, (await records.subscriptions.get(account))?.value.plan)
}

/**
 * Takes one of the places that an account's plan has for streams, and returns the function that
 * frees it.
 *
 * @throws {PlatformError} 429 if the account has as many streams as it may
 */
export async function enterStream(
  {
    shares,
    planOf: findPlan,
  }: { readonly shares: Pick<Shares, 'streams'>; readonly planOf: PlanOf },
  account: string,
): Promise<() => void> {
  return shares.streams.enter(account, { each: capsOf(await findPlan(account)).streams })
}

/** Processes pages for one account, within the page budget of the account's plan. */
interface AccountPages {
  open(recipe: Json): OpenRecipe
  /** For requests without a recipe. */
  openPages(): OpenPages
  /** Opens the conversion of an export's rows. */
  openRows(spec: RowsSpec): OpenRows
}

/**
 * Code that works for an account gets a page processor only from here, so that the plan's limits
 * always apply.
 */
export type PagesOf = (account: string) => Promise<AccountPages>

/** Limits of one page: those of the plan, else the defaults. */
export function pageLimitsOf({ page = {} }: Pick<PlanDefinition, 'page'>): PageLimits {
  return withDefaults(DEFAULT_PAGE_LIMITS, page)
}

/**
 * Opens pages for accounts. The plan is read each time, so that a changed plan applies to the next
 * execution, preview or call.
 */
export function createPagesOf(processor: () => Promise<PageProcessor>, findPlan: PlanOf): PagesOf {
  return async (account) => {
    const [pages, plan] = await Promise.all([processor(), findPlan(account)])
    const options = { account, limits: pageLimitsOf(plan) }
    return {
      open: (recipe) => pages.open(recipe, options),
      openPages: () => pages.openPages(options),
      openRows: (spec) => pages.openRows(spec, options),
    }
  }
}
