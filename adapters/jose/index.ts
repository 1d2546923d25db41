import { checkOptions } from '../../src/kernel/options.ts'
import { errors, jwtVerify } from 'jose'
import type { JWTVerifyGetKey, JWTVerifyOptions, JWTVerifyResult } from 'jose'
import { PlatformError, unauthorized } from '../../src/kernel/errors.ts'
import type { Principal } from '../../src/kernel/http/route.ts'
import type { AuthenticatorFactory, AuthenticatorServices } from '../../src/ports/authenticator.ts'
import { CLOCK_TOLERANCE, checkClaims, headerFault, readBearer } from './read-token.ts'
import type { JwtClaims } from './claims.ts'
import { OPTIONS, resolveRules, secretBytes } from './options.ts'
import type { JwtAuthenticatorOptions, JwtKeySetOptions, ResolvedRules } from './options.ts'
import { isAdmissible } from './principal.ts'
import type { ReadToken } from './read-token.ts'
import { RemoteKeys } from './remote-keys.ts'

export type { JwtClaims } from './claims.ts'

export type {
  JwtAuthenticatorOptions,
  JwtKeySetOptions,
  JwtRules,
  JwtSecretOptions,
  PublicKeyAlgorithm,
} from './options.ts'

/** Verifies a signature and the claims that jose checks. */
type Verify = (token: ReadToken, options: JWTVerifyOptions) => Promise<JWTVerifyResult>

/**
 * Authenticates callers by a JWT in `Authorization: Bearer …` (RFC 7519, RFC 8725). It is signed by
 * an issuer whose key set is at `jwks`, or with a shared `secret`. Required: `iss`, `aud`, `sub`,
 * `exp`, `iat`, unless the options say that there is no `aud` or `iat`. Clocks may differ by 30
 * seconds. A token has at most 8,192 characters. An invalid token of this issuer ends the request
 * with 401. Other credentials, such as API keys, opaque tokens and tokens of other issuers, are
 * left to the next authenticators. The reason of a refusal is logged, at level debug.
 *
 * @example
 *   const platform = createPlatform({
 *     authenticators: [
 *       createJwtAuthenticator({
 *         jwks: new URL('https://auth.example.com/.well-known/jwks.json'),
 *         issuer: 'https://auth.example.com/',
 *         audience: 'https://data.example.com',
 *       }),
 *     ],
 *   })
 *
 * @example
 *   const shared = createJwtAuthenticator({
 *     secret: 'a text of at least thirty-two bytes, from your secret store',
 *     issuer: 'my-app',
 *     audience: 'seine',
 *     principal: ({ sub, role }) => ({
 *       account: 'acme',
 *       user: sub,
 *       scopes: role === 'admin' ? ['*'] : ['tasks:read', 'executions:read'],
 *     }),
 *   })
 *
 * @throws {TypeError} for wrong options, here or when the platform is created
 */
export function createJwtAuthenticator(options: JwtAuthenticatorOptions): AuthenticatorFactory {
  checkOptions<{ readonly [Name in keyof JwtKeySetOptions]?: unknown }>(
    'createJwtAuthenticator',
    options,
    OPTIONS,
  )
  const rules = resolveRules(options)
  const connect = options.jwks === undefined ? bySecret(options.secret) : byKeySet(options)
  return {
    create(services) {
      const { logger } = services
      const verify = connect(services)
      const byHeaders = async (headers: Pick<Headers, 'get'>): Promise<Principal | null> => {
        const token = readBearer(headers.get('authorization'))
        // `iss` is not verified yet. It only decides whether this authenticator is responsible. The
        // issuer's keys decide about the token.
        if (token?.claims['iss'] !== rules.issuer) return null
        const claims = await check(token, rules, verify, services)
        const principal = typeof claims === 'string' ? null : await rules.principal(claims)
        if (principal !== null && isAdmissible(principal)) return principal
        logger.debug('A token was refused', {
          reason: typeof claims === 'string' ? claims : 'principal',
        })
        throw unauthorized()
      }
      return Object.assign(({ headers }: Request) => byHeaders(headers), { byHeaders })
    },
  }
}

/** The claims, or the reason why the token is refused. */
async function check(
  token: ReadToken,
  rules: ResolvedRules,
  verify: Verify,
  { clock, logger }: AuthenticatorServices,
): Promise<JwtClaims | string> {
  const fault = headerFault(token.header, rules.types)
  if (fault !== null) return fault
  const { issuer, audience } = rules
  const now = clock.now()
  try {
    const { payload } = await verify(token, {
      issuer,
      ...(audience && { audience: [...audience] }),
      requiredClaims: ['sub', 'exp'],
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: new Date(now),
    })
    return checkClaims(payload, rules, Math.floor(now / 1000))
  } catch (error) {
    if (error instanceof errors.JOSEError) return error.code
    if (error instanceof PlatformError) throw error
    logger.warn('A key of the issuer cannot be used', { error })
    return 'key'
  }
}

function bySecret(
  secret: string | Uint8Array | undefined,
): (services: AuthenticatorServices) => Verify {
  if (secret === undefined)
    throw new TypeError('createJwtAuthenticator: give either jwks or secret')
  const bytes = secretBytes(secret)
  return () => {
    const key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
      'verify',
    ])
    return async ({ text }, options) =>
      jwtVerify(text, await key, { ...options, algorithms: ['HS256'] })
  }
}

function byKeySet(options: JwtKeySetOptions): (services: AuthenticatorServices) => Verify {
  const { jwks, privateHost, secret } = options
  const algorithms = [...(options.algorithms ?? ['RS256', 'ES256', 'EdDSA'])]
  const { cacheMs = 600_000, staleMs = 3_600_000, cooldownMs = 30_000 } = options
  if (secret !== undefined)
    throw new TypeError('createJwtAuthenticator: give either jwks or secret, not both')
  return ({ clock, logger, document }) => {
    const keys = new RemoteKeys({
      read: document(new URL(jwks), privateHost === undefined ? {} : { privateHost }),
      clock,
      logger,
      cacheMs,
      staleMs,
      cooldownMs,
    })
    return async (token, checks) => {
      const keySet = await keys.current()
      const verifyBy = (find: JWTVerifyGetKey) =>
        jwtVerify(token.text, find, { ...checks, algorithms })
      try {
        return await verifyBy(keySet.find)
      } catch (error) {
        const newer = mayBeNewKey(error, token) ? await keys.newerThan(keySet) : null
        if (!newer) throw error
        return await verifyBy(newer)
      }
    }
  }
}

/** True if a newer key set could help: the key id is unknown, or the signature names no key. */
function mayBeNewKey(error: unknown, { header }: ReadToken): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    (error instanceof errors.JWSSignatureVerificationFailed && header['kid'] === undefined)
  )
}
