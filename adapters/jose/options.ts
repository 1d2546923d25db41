import type { Principal } from '../../src/kernel/http/route.ts'
import type { JwtClaims } from './claims.ts'
import { principalOf } from './principal.ts'

/** Signature algorithms with a public key (RFC 7518 section 3.1, RFC 8037, RFC 9864). */
export const PUBLIC_KEY_ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const

/** One of {@link PUBLIC_KEY_ALGORITHMS}. */
export type PublicKeyAlgorithm = (typeof PUBLIC_KEY_ALGORITHMS)[number]

/** Rules for every kind of token. */
export interface JwtRules {
  /**
   * `iss` exactly as the issuer writes it. A token of another issuer is left to the authenticators
   * that follow.
   */
  readonly issuer: string
  /** The value that `aud` must be or contain; of several values, one is enough. */
  readonly audience: string | readonly string[]
  /**
   * Accepted values of `typ`, in any case and without `application/`, such as `['at+jwt']` (RFC
   * 9068); a token without one is then refused. Default: `at+jwt`, `JWT`, or none.
   */
  readonly types?: readonly string[]
  /** Longest `exp` − `iat`. Default 86,400, a day. */
  readonly maxLifetimeSeconds?: number
  /**
   * Maps the claims to a principal; `null` refuses the token. Default: the account is `org_id`,
   * else `account`, else `sub`; the user is `sub`; the scopes are the words of `scope`, else the
   * list `scp` or `scopes`. With several issuers write your own, so that their accounts cannot
   * coincide.
   */
  readonly principal?: (claims: JwtClaims) => Principal | null | Promise<Principal | null>
}

/** Tokens signed with a private key whose public half the issuer publishes. */
export interface JwtKeySetOptions extends JwtRules {
  /**
   * The issuer's key set (RFC 7517), read through the platform's egress: public and `https:`,
   * unless `privateHost` says otherwise.
   */
  readonly jwks: URL
  readonly secret?: never
  /**
   * The host of `jwks` again, if it is on your own network: it is then exempt from the address
   * guard and may be `http:`.
   */
  readonly privateHost?: string
  /** Accepted signature algorithms. Default `RS256`, `ES256`, `EdDSA`. */
  readonly algorithms?: readonly PublicKeyAlgorithm[]
  /**
   * How long a key set counts as fresh, in ms. For that time a withdrawn key may still be accepted.
   * Default 600,000.
   */
  readonly cacheMs?: number
  /** How much longer the set is used while the issuer cannot be reached, in ms. Default 3,600,000. */
  readonly staleMs?: number
  /** Least time between two reads that unknown key ids cause, in ms. Default 30,000. */
  readonly cooldownMs?: number
}

/** Tokens signed by HS256 with a secret that issuer and platform share. */
export interface JwtSecretOptions extends JwtRules {
  /** At least 32 bytes (RFC 7518 section 3.2); of a string, its UTF-8 bytes. */
  readonly secret: string | Uint8Array
  readonly jwks?: never
}

/** Options of `createJwtAuthenticator`: either `jwks` or `secret`. */
export type JwtAuthenticatorOptions = JwtKeySetOptions | JwtSecretOptions

/** {@link JwtRules} with everything decided. */
export interface ResolvedRules {
  readonly issuer: string
  readonly audience: readonly string[]
  /** Lower case; `null`: the default. */
  readonly types: readonly string[] | null
  readonly maxLifetimeSeconds: number
  readonly principal: (claims: JwtClaims) => Principal | null | Promise<Principal | null>
}

const DAY_SECONDS = 86_400

/** @throws {TypeError} that names the wrong option */
export function resolveRules({
  issuer,
  audience,
  types,
  maxLifetimeSeconds = DAY_SECONDS,
  principal = principalOf,
}: JwtRules): ResolvedRules {
  const audiences = typeof audience === 'string' ? [audience] : [...(audience ?? [])]
  if (!isText(issuer)) throw new TypeError('issuer must be the text that the tokens have as iss')
  if (audiences.length === 0 || !audiences.every(isText))
    throw new TypeError('audience must be a text that the tokens have as aud, or a list of such')
  if (types !== undefined && (types.length === 0 || !types.every(isText)))
    throw new TypeError('types must be a list of typ values, such as at+jwt')
  if (!isPositive(maxLifetimeSeconds))
    throw new TypeError('maxLifetimeSeconds must be a positive number')
  return {
    issuer,
    audience: audiences,
    types: types?.map(bareType) ?? null,
    maxLifetimeSeconds,
    principal,
  }
}

/**
 * @throws {TypeError} for none, and for one that needs no public key: a key set can vouch for no
 *   such token
 */
export function resolveAlgorithms(
  algorithms: readonly PublicKeyAlgorithm[] = ['RS256', 'ES256', 'EdDSA'],
): string[] {
  const wrong = algorithms.filter((name) => !PUBLIC_KEY_ALGORITHMS.includes(name))
  if (wrong.length > 0 || algorithms.length === 0) {
    const known = PUBLIC_KEY_ALGORITHMS.join(', ')
    const not = wrong.length > 0 ? `, not ${wrong.join(', ')}` : ''
    throw new TypeError(`algorithms must be some of ${known}${not}`)
  }
  return [...algorithms]
}

/** @throws {TypeError} for a secret that is too short, and for a PEM file */
export function resolveSecret(secret: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes =
    typeof secret === 'string' ? new TextEncoder().encode(secret) : Uint8Array.from(secret)
  if (bytes.byteLength < 32)
    throw new TypeError(`secret must have at least 32 bytes, not ${bytes.byteLength}`)
  // With a public key as the secret, anyone who knows that key could sign tokens.
  if (new TextDecoder().decode(bytes.subarray(0, 64)).includes('-----BEGIN'))
    throw new TypeError('secret must not be a PEM file: publish the key as a key set and use jwks')
  return bytes
}

/** @throws {TypeError} that names the wrong option */
export function resolveTimes({
  cacheMs = 600_000,
  staleMs = 3_600_000,
  cooldownMs = 30_000,
}: JwtKeySetOptions): { cacheMs: number; staleMs: number; cooldownMs: number } {
  const times = { cacheMs, staleMs, cooldownMs }
  for (const [name, value] of Object.entries(times))
    if (!isPositive(value)) throw new TypeError(`${name} must be a positive number`)
  return times
}

/** A `typ` as it is compared (RFC 7515 section 4.1.9). */
export function bareType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isPositive = (value: number) => Number.isFinite(value) && value > 0
