import {
  address,
  callback,
  either,
  flag,
  listOf,
  nonEmpty,
  oneOf,
  positive,
  required,
} from '../../src/kernel/options.ts'
import type { OptionTypes } from '../../src/kernel/options.ts'
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
   * `iss` exactly as the issuer writes it. A token of another issuer is left to the next
   * authenticators.
   */
  readonly issuer: string
  /**
   * The value that `aud` must be or contain. If there are several values, one is enough. `false`:
   * tokens of this issuer have no `aud`, and a token with one is refused. In that case set
   * `clients`, if the issuer serves other applications too.
   */
  readonly audience: string | readonly string[] | false
  /** Accepted values of `azp`, or of `client_id` without `azp`. Default: all. */
  readonly clients?: string | readonly string[]
  /**
   * `true`: tokens without `iat` are accepted too; their lifetime is counted from now on. Default
   * `false`.
   */
  readonly withoutIat?: boolean
  /**
   * Accepted values of `typ`, in any case and without `application/`, such as `['at+jwt']` (RFC
   * 9068). A token without `typ` is then refused. Default: `at+jwt`, `JWT`, or none.
   */
  readonly types?: readonly string[]
  /** Longest `exp` − `iat`. Default 86,400, a day. */
  readonly maxLifetimeSeconds?: number
  /**
   * Maps the claims to a principal; `null` refuses the token. Default: the account is `org_id`,
   * else `account`, else `sub`; the user is `sub`; the scopes are those of `scope`, `scp`, `scopes`
   * and `permissions` together, each a list, or a text of words. With several issuers write your
   * own, so that their accounts cannot coincide.
   */
  readonly principal?: (claims: JwtClaims) => Principal | null | Promise<Principal | null>
  /**
   * Prefix of scope names at this issuer, such as `https://data.example.com/`. It is removed from
   * the names, and names without it grant nothing. For the default `principal`.
   */
  readonly scopePrefix?: string
}

/** Tokens signed with a private key whose public half the issuer publishes. */
export interface JwtKeySetOptions extends JwtRules {
  /**
   * The issuer's key set (RFC 7517), read through the platform's egress. It must be public and
   * `https:`, unless `privateHost` is set.
   */
  readonly jwks: URL | string
  readonly secret?: never
  /**
   * The host of `jwks` again, if it is on your own network. It is then exempt from the address
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
  /** Minimum time, in ms, between two reads because of unknown key ids. Default 30,000. */
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

/** {@link JwtRules} with all defaults. */
export interface ResolvedRules {
  readonly issuer: string
  /** `null`: tokens name no audience. */
  readonly audience: readonly string[] | null
  /** `null`: all. */
  readonly clients: readonly string[] | null
  readonly withoutIat: boolean
  /** Lower case. `null`: the default. */
  readonly types: readonly string[] | null
  readonly maxLifetimeSeconds: number
  readonly principal: (claims: JwtClaims) => Principal | null | Promise<Principal | null>
}

const DAY_SECONDS = 86_400

/** Types of the options of `createJwtAuthenticator`, whether by `jwks` or by `secret`. */
export const OPTIONS: OptionTypes<{ readonly [Name in keyof JwtKeySetOptions]?: unknown }> = {
  issuer: required(nonEmpty),
  audience: required(either(nonEmpty, listOf(nonEmpty, 1), oneOf(false))),
  clients: either(nonEmpty, listOf(nonEmpty, 1)),
  withoutIat: flag,
  scopePrefix: nonEmpty,
  types: listOf(nonEmpty, 1),
  maxLifetimeSeconds: positive,
  principal: callback,
  jwks: address,
  secret: {
    expected:
      'a text or a Uint8Array of at least 32 bytes; it must not be a PEM file, whose key belongs in a key set at jwks',
    accepts: isSecret,
  },
  privateHost: nonEmpty,
  // With a key set, only algorithms with a public key are allowed.
  algorithms: listOf(oneOf(...PUBLIC_KEY_ALGORITHMS), 1),
  cacheMs: positive,
  staleMs: positive,
  cooldownMs: positive,
}

/** Applies the defaults of the options. */
export function resolveRules({
  issuer,
  audience,
  clients,
  withoutIat = false,
  types,
  maxLifetimeSeconds = DAY_SECONDS,
  scopePrefix = '',
  principal = (claims) => principalOf(claims, scopePrefix),
}: JwtRules): ResolvedRules {
  return {
    issuer,
    audience: audience === false ? null : listed(audience),
    clients: clients === undefined ? null : listed(clients),
    withoutIat,
    types: types?.map(bareType) ?? null,
    maxLifetimeSeconds,
    principal,
  }
}

function listed(values: string | readonly string[]): readonly string[] {
  return typeof values === 'string' ? [values] : values
}

/** The bytes of a secret. */
export function secretBytes(secret: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return typeof secret === 'string' ? new TextEncoder().encode(secret) : Uint8Array.from(secret)
}

function isSecret(value: unknown): boolean {
  if (typeof value !== 'string' && !(value instanceof Uint8Array)) return false
  const bytes = secretBytes(value)
  // If a public key were the secret, anyone who knows that key could sign tokens.
  const isPem = new TextDecoder().decode(bytes.subarray(0, 64)).includes('-----BEGIN')
  return bytes.byteLength >= 32 && !isPem
}

/** A `typ` in the form for comparison (RFC 7515 section 4.1.9). */
export function bareType(typ: string): string {
  return typ.toLowerCase().replace(/^application\//, '')
}
