import { DEFAULT_PAGE_LIMITS } from '../../engine/extract/page/page-limits.ts'
import type { Json } from '../../kernel/json.ts'
import type {
  OpenPages,
  OpenRecipe,
  PageLimits,
  PageProcessor,
} from '../../ports/page-processor.ts'
import type { OpenRows, RowsSpec } from '../../ports/row-work.ts'
import type { PlanDefinition } from './ledger/plans.ts'
import type { PlanOf } from './plan-of.ts'

/** Works on pages for one account, each within the page budget of the account's plan. */
export interface AccountPages {
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
export function createPagesOf(processor: () => Promise<PageProcessor>, planOf: PlanOf): PagesOf {
  return async (account) => {
    const [pages, plan] = await Promise.all([processor(), planOf(account)])
    const options = { account, limits: pageLimitsOf(plan) }
    return {
      open: (recipe) => pages.open(recipe, options),
      openPages: () => pages.openPages(options),
      openRows: (spec) => pages.openRows(spec, options),
    }
  }
}
