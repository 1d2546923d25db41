/**
 * The wait that a `Retry-After` header asks for, in milliseconds from `now` (RFC 9110, 10.2.3):
 * seconds, or a date. `null` for no header and for a malformed one; 0 for a date that has passed.
 * Not capped.
 */
export function parseRetryAfter(header: string | undefined, now: number): number | null {
  const value = header?.trim()
  if (!value) return null
  if (/^\d{1,10}$/.test(value)) return Number(value) * 1_000
  // Only the date formats of RFC 9110 5.6.7 begin with the name of a day; `Date.parse` alone would
  // take much else.
  if (!/^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? /i.test(value)) return null
  const at = Date.parse(/gmt$/i.test(value) ? value : `${value} GMT`)
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}
