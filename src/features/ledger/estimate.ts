import { mostWork } from '../../engine/plan/plan.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { highestPrice, keptPrices } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'

/** The most that an execution may cost. */
export interface Estimate {
  readonly pages: number
  readonly credits: number
}

/**
 * The most that a recipe can cost: by its start pages if it follows no links, else by its limits.
 * No page is visited.
 */
export function estimateOf(plan: CrawlPlan, prices: PriceTable): Estimate {
  const { maxPages, maxCredits } = plan.limits
  const pages = plan.discovers ? maxPages : Math.min(maxPages, mostStarts(plan))
  return {
    pages,
    credits: Math.min(pages * highestPrice(prices, mostWork(plan)), maxCredits ?? Infinity),
  }
}

/** Number of start URLs, including the pages that the recipe wants of a search. */
export function mostStarts({ startUrls, search }: Pick<CrawlPlan, 'startUrls' | 'search'>): number {
  return startUrls.length + (search?.limit ?? 0)
}

/**
 * The most credits that a recipe can cost over a number of kept pages: those for reading by a
 * model.
 */
export function keptCreditsOf(plan: CrawlPlan, prices: PriceTable, pages: number): number {
  return Math.min(
    pages * highestPrice(keptPrices(prices), mostWork(plan)),
    plan.limits.maxCredits ?? Infinity,
  )
}
