/** Credits that a page costs, by what became of it; an outcome that is not named costs nothing. */
export interface PriceTable {
  /** Fetched and read. The media that its rows refer to are part of the page. */
  readonly fetched?: number
  /** Fetched, and then rendered in a browser. Default: as `fetched`. */
  readonly rendered?: number
  /** The same as when it was fetched before. */
  readonly unchanged?: number
}

/** A page that was fetched and read costs one credit; nothing else costs anything. */
export const DEFAULT_PRICES: PriceTable = { fetched: 1 }

/**
 * Credits for an outcome of a page. The one place that reads prices, so that the receipt, the budget and the ledger agree.
 */
export function priceOf(outcome: string, { fetched = 0, rendered = fetched, unchanged = 0 }: PriceTable, isRendered = false): number {
  if (outcome === 'fetched') return isRendered ? rendered : fetched
  return outcome === 'unchanged' ? unchanged : 0
}

/** The most that one page can cost, of a recipe whose pages may be rendered or not. */
export function highestPrice({ fetched = 0, rendered = fetched, unchanged = 0 }: PriceTable, mayRender: boolean): number {
  return Math.max(fetched, unchanged, mayRender ? rendered : 0)
}
