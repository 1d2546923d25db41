/**
 * Returns the wait that a `Retry-After` header asks for, in milliseconds from `now` (RFC 9110,
 * 10.2.3: seconds or a date). Returns `null` if the header is absent or malformed, and 0 for a date
 * in the past. The result is not capped.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const value = header?.trim()
  if (!value) return null
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1_000
  // Only the date formats of RFC 9110 5.6.7 begin with the name of a day. `Date.parse` alone
  // would accept many other texts.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(value)) return null
  const time = Date.parse(/gmt$/i.test(value) ? value : `${value} GMT`)
  return Number.isNaN(time) ? null : Math.max(0, time - now)
}
