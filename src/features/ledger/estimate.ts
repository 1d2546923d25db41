import { mostWork } from '../../engine/plan/plan.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { highestPrice, keptPrices } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'

/** Maximum cost of an execution. */
export interface Estimate {
  readonly credits: number
  /** Maximum cost of its first page. An execution needs these credits to start. */
  readonly least: number
}

/**
 * Estimates the maximum cost of a recipe: from its start pages if it follows no links, else from
 * its limits. No page is visited.
 */
export function estimateOf(
  plan: CrawlPlan,
  prices: PriceTable,
): Estimate & { readonly pages: number } {
  const { maxPages } = plan.limits
  const pages = plan.discovers ? maxPages : Math.min(maxPages, mostStarts(plan))
  return { pages, ...costOf(plan, prices, pages) }
}

function costOf(plan: CrawlPlan, prices: PriceTable, pages: number): Estimate {
  const highest = highestPrice(prices, mostWork(plan))
  const credits = Math.min(pages * highest, plan.limits.maxCredits ?? Infinity)
  return { credits, least: Math.min(highest, credits) }
}

/** Number of start URLs, including the pages that the recipe takes from a search. */
export function mostStarts({ startUrls, search }: Pick<CrawlPlan, 'startUrls' | 'search'>): number {
  return startUrls.length + (search?.limit ?? 0)
}

/** Maximum cost of a recipe over a number of kept pages: only reading by a model costs credits. */
export function keptEstimateOf(plan: CrawlPlan, prices: PriceTable, pages: number): Estimate {
  return costOf(plan, keptPrices(prices), pages)
}
