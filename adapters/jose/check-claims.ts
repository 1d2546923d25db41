import { isCleanText } from './clean-text.ts'
import type { JwtClaims } from './jwt-claims.ts'
import type { ResolvedRules } from './options.ts'

/** How far clocks may be apart, in seconds. */
export const CLOCK_TOLERANCE = 30

/**
 * What jose leaves open: the claims with the right types, or the name of the one that is wrong.
 * `now` in Unix seconds.
 */
export function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  { maxLifetimeSeconds }: ResolvedRules,
  now: number,
): JwtClaims | string {
  const { iss, sub, aud, exp, iat, nbf } = claims
  if (typeof iss !== 'string') return 'iss'
  if (!isCleanText(sub)) return 'sub'
  if (Array.isArray(aud) && !aud.every((one) => typeof one === 'string')) return 'aud'
  if (!isTime(exp)) return 'exp'
  if (!isTime(iat) || iat > now + CLOCK_TOLERANCE) return 'iat'
  if (nbf !== undefined && !isTime(nbf)) return 'nbf'
  if (exp <= iat || exp - iat > maxLifetimeSeconds) return 'exp'
  return { ...claims, iss, sub, exp, iat }
}

/** RFC 7519 allows fractions; issuers write none, and `1e400` is read as Infinity. */
function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
