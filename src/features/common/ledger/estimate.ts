import type { Plan } from '../../../engine/recipe/plan.ts'
import { highestPrice } from '../../../kernel/price.ts'
import type { PriceTable } from '../../../kernel/price.ts'

/** What an execution may come to at most. */
export interface Estimate {
  readonly pages: number
  readonly credits: number
}

/** The most that a recipe can cost: by its start pages where it follows nothing, else by its limits. Nothing is visited. */
export function estimateOf(plan: Plan, prices: PriceTable): Estimate {
  const { maxPages, maxCredits } = plan.limits
  const pages = plan.discovers ? maxPages : Math.min(maxPages, mostStarts(plan))
  return { pages, credits: Math.min(pages * highestPrice(prices, plan.request.render !== null), maxCredits ?? Infinity) }
}

/** Start URLs, with as many pages as the recipe wants of a search. */
export function mostStarts({ startUrls, search }: Pick<Plan, 'startUrls' | 'search'>): number {
  return startUrls.length + (search?.limit ?? 0)
}
