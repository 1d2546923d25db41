/** The day of a time as `YYYY-MM-DD`, UTC: what daily caps go by. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
