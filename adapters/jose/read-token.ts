import { isObject } from '../../src/kernel/json.ts'
import { fromBase64Url, isBase64Url } from '../../src/kernel/bytes.ts'
import { isCleanText } from './claims.ts'
import { bareType } from './options.ts'
import type { JwtClaims } from './claims.ts'
import type { ResolvedRules } from './options.ts'

/** A token in the one form that is accepted, not verified yet. */
export interface ReadToken {
  readonly text: string
  readonly header: Readonly<Record<string, unknown>>
  readonly claims: Readonly<Record<string, unknown>>
}

/**
 * Maximum length of a token, in characters. It is more than issuers need, and less than a server's
 * header buffer.
 */
const MAX_TOKEN_LENGTH = 8_192

const MAX_HEADER_LENGTH = 4_096
const MAX_DEPTH = 16
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const SCHEME = /^bearer $/i
const SCHEME_LENGTH = 'bearer '.length

/** Returns the token of an `Authorization` header; `null` if it is not a JWT in the strict form. */
export function readBearer(authorization: string | null): ReadToken | null {
  if (authorization === null || !SCHEME.test(authorization.slice(0, SCHEME_LENGTH))) return null
  return readToken(authorization.slice(SCHEME_LENGTH))
}

/**
 * Splits a JWS in compact form (RFC 7515 section 7.1). It is stricter than libraries: if several
 * texts decode to the same bytes, it accepts only one, so that a token has only one spelling. The
 * length is checked before anything is parsed.
 */
export function readToken(text: string): ReadToken | null {
  if (text.length > MAX_TOKEN_LENGTH) return null
  const [header, payload, signature, ...rest] = text.split('.', 4)
  if (!header || !payload || !signature || rest.length > 0 || header.length > MAX_HEADER_LENGTH)
    return null
  if (!isBase64Url(signature)) return null
  const [headerValue, claims] = [readJson(header), readJson(payload)]
  return headerValue && claims && { text, header: headerValue, claims }
}

function readJson(part: string): Readonly<Record<string, unknown>> | null {
  const bytes = fromBase64Url(part)
  if (bytes === null) return null
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return isObject(value) && isShallow(value, MAX_DEPTH) ? value : null
  } catch {
    return null
  }
}

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth > 0 && Object.values(value).every((member) => isShallow(member, depth - 1))
}

const DEFAULT_TYPES = ['at+jwt', 'jwt']

/**
 * Returns the fault of a header, or `null`. `jku`, `x5u`, `jwk` and `x5c` are ignored, so a token
 * cannot bring its own key.
 */
export function headerFault(
  header: Readonly<Record<string, unknown>>,
  types: readonly string[] | null,
): string | null {
  const { kid, typ } = header
  // No critical extension (RFC 7515 section 4.1.11) is supported, and neither is an unencoded
  // payload (RFC 7797).
  for (const name of ['crit', 'b64', 'zip', 'enc']) if (Object.hasOwn(header, name)) return name
  if (kid !== undefined && !isCleanText(kid)) return 'kid'
  if (typ === undefined) return types === null ? null : 'typ'
  return typeof typ === 'string' && (types ?? DEFAULT_TYPES).includes(bareType(typ)) ? null : 'typ'
}

/** Maximum difference of clocks, in seconds. */
export const CLOCK_TOLERANCE = 30

/**
 * Checks the claims that jose does not check. Returns the claims with their types, or the name of a
 * wrong one. `now` in Unix seconds.
 */
export function checkClaims(
  claims: Readonly<Record<string, unknown>>,
  { audience, clients, withoutIat, maxLifetimeSeconds }: ResolvedRules,
  now: number,
): JwtClaims | string {
  const { iss, sub, aud, azp, client_id: client, exp, iat, nbf } = claims
  if (typeof iss !== 'string') return 'iss'
  if (!isCleanText(sub)) return 'sub'
  if (audience === null && aud !== undefined) return 'aud'
  if (Array.isArray(aud) && !aud.every((name) => typeof name === 'string')) return 'aud'
  if (clients !== null && !clients.some((name) => name === (azp ?? client))) return 'azp'
  if (!isTime(exp)) return 'exp'
  if (iat === undefined ? !withoutIat : !isTime(iat) || iat > now + CLOCK_TOLERANCE) return 'iat'
  if (nbf !== undefined && !isTime(nbf)) return 'nbf'
  const from = isTime(iat) ? iat : now - CLOCK_TOLERANCE
  if (exp <= from || exp - from > maxLifetimeSeconds) return 'exp'
  return { ...claims, iss, sub, exp, ...(isTime(iat) && { iat }) }
}

/** RFC 7519 allows fractions, but issuers write none, and `1e400` is read as Infinity. */
function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value)
}
