/** The month of a time as `YYYY-MM`, UTC: what statements and plan credits go by. */
export function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7)
}

/** When a month begins, Unix milliseconds. */
export function startOfMonth(month: string): number {
  return Date.parse(`${month}-01T00:00:00.000Z`)
}

/** The month after. */
export function monthAfter(month: string): string {
  // Forty days after its first, a month is over and the next is not.
  return monthOf(startOfMonth(month) + 40 * 86_400_000)
}

/** When a month ends and the next begins, Unix milliseconds. */
export function endOfMonth(month: string): number {
  return startOfMonth(monthAfter(month))
}
