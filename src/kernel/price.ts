/** Credits that a page costs, by its outcome; an outcome that is not named costs nothing. */
export interface PriceTable {
  /** Fetched and read. The media that its rows refer to are part of the page. */
  readonly fetched?: number
  /** Fetched, and then rendered in a browser. Default: as `fetched`. */
  readonly rendered?: number
  /** The page is unchanged since an earlier fetch. */
  readonly unchanged?: number
  /**
   * Added to the price of a page that a model has read. It is the only price of a kept page.
   * Default: as `fetched`.
   */
  readonly model?: number
}

/** Work on a page besides fetching it: what was done, or what may be done. */
export interface PricedWork {
  /** A browser rendered it. */
  readonly rendered?: boolean
  /** A model has read it. */
  readonly modelled?: boolean
}

/**
 * A page that was fetched and read costs one credit, and one more if a model has read it. Other
 * outcomes cost nothing.
 */
export const DEFAULT_PRICES: PriceTable = { fetched: 1 }

/**
 * Credits for an outcome of a page. No other code reads prices, so the receipt, the budget and the
 * ledger agree.
 */
export function priceOf(
  outcome: string,
  { fetched = 0, rendered = fetched, unchanged = 0, model = fetched }: PriceTable,
  work: PricedWork = {},
): number {
  const reading = work.modelled ? model : 0
  if (outcome === 'fetched') return (work.rendered ? rendered : fetched) + reading
  return outcome === 'unchanged' ? unchanged + reading : 0
}

/** Maximum price of one page of a recipe, if its pages may need this work. */
export function highestPrice(
  { fetched = 0, rendered = fetched, unchanged = 0, model = fetched }: PriceTable,
  may: PricedWork,
): number {
  return Math.max(fetched, unchanged, may.rendered ? rendered : 0) + (may.modelled ? model : 0)
}

/**
 * Prices of a run over kept pages. Nothing is fetched again, so only reading by a model costs
 * credits.
 */
export function keptPrices({ fetched = 0, model = fetched }: PriceTable): PriceTable {
  return { model }
}
