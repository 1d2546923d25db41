/** Credits that a page costs, by what became of it; an outcome that is not named costs nothing. */
export interface PriceTable {
  /** Fetched and read. The media that its rows refer to are part of the page. */
  readonly fetched?: number
  /** The same as when it was fetched before. */
  readonly unchanged?: number
}

/** A page that was fetched and read costs one credit; nothing else costs anything. */
export const DEFAULT_PRICES: PriceTable = { fetched: 1 }

/**
 * Credits for an outcome of a page. The one place that reads prices, so that the receipt, the budget and the ledger agree.
 */
export function priceOf(outcome: string, prices: PriceTable): number {
  if (outcome === 'fetched') return prices.fetched ?? 0
  return outcome === 'unchanged' ? (prices.unchanged ?? 0) : 0
}

/** The most that one page can cost. */
export function highestPrice({ fetched = 0, unchanged = 0 }: PriceTable): number {
  return Math.max(fetched, unchanged)
}
