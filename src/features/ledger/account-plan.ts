import type { Records } from '../records.ts'
import { planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'
import { DEFAULT_PAGE_LIMITS } from '../../engine/extract/page/page-limits.ts'
import type { Json } from '../../kernel/json.ts'
import type {
  OpenPages,
  OpenRecipe,
  PageLimits,
  PageProcessor,
} from '../../ports/page-processor.ts'
import type { OpenRows, RowsSpec } from '../../ports/row-work.ts'

/**
 * Which plan an account has, for everything that is asked often. Money reads the subscription
 * itself, in the commit that depends on it.
 */
export type PlanOf = (account: string) => Promise<PlanDefinition>

/** What {@link createPlanOf} works with. */
interface PlanOfOptions {
  readonly records: Records
  readonly tariff: Tariff
}

/**
 * Plans of accounts, read anew each time: a changed plan holds at the next call, whichever process
 * answers it. Where there is one plan alone, nothing is ever read.
 */
export function createPlanOf({ records, tariff }: PlanOfOptions): PlanOf {
  const only = tariff.plans.length === 1 ? Promise.resolve(tariff.plans[0]) : null
  return async (account) =>
    (await only) ?? planOf(tariff, (await records.subscriptions.get(account))?.value.plan)
}

/** Works on pages for one account, each within the page budget of the account's plan. */
interface AccountPages {
  open(recipe: Json): OpenRecipe
  /** For questions that take no recipe. */
  openPages(): OpenPages
  /** To convert rows of an export. */
  openRows(spec: RowsSpec): OpenRows
}

/**
 * The only way to a page processor for those who work for accounts: none of them can leave out the
 * plan's limits.
 */
export type PagesOf = (account: string) => Promise<AccountPages>

/** What one page may cost: what the plan names, else the default. */
export function pageLimitsOf({ page = {} }: Pick<PlanDefinition, 'page'>): PageLimits {
  return { ...DEFAULT_PAGE_LIMITS, ...page }
}

/**
 * Opens pages for accounts. The plan is read each time, so a changed plan holds for the next
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
