/**
 * Credits for each outcome of a page: only a page that was fetched and read costs something. The media that its rows refer to
 * are part of the page. The one place that knows
 * prices, so that the receipt, the budget and the ledger agree.
 */
export function priceOf(outcome: string): number {
  return outcome === 'fetched' ? 1 : 0
}
