import type { AuthenticatorFactory, Principal, RequestHeaders } from 'seine'
import { parseShallowJson } from '../../src/kernel/json-depth.ts'
import { fromBase64Url } from '../../src/kernel/bytes.ts'
import { PlatformError, unauthorized } from '../../src/kernel/errors.ts'
import { isObject } from '../../src/kernel/json.ts'
import { OPERATOR } from '../../src/kernel/scope.ts'
import type { Authenticator, AuthenticatorServices } from '../../src/ports/authenticator.ts'
import { CommandError } from './command-error.ts'

/** Time, in ms, between a failed read and the next one. */
const RETRY_MS = 5_000
const JWT = /^bearer +[\w-]+\.([\w-]+)\.[\w-]+$/i
/** Maximum number of characters of a header that is checked. A longer token is refused anyway. */
const LONGEST_HEADER = 10_000

/**
 * Maximum number of characters of an account. Paths do not accept longer names, so no operator
 * could reach it.
 */
const LONGEST_ACCOUNT = 200

/** An issuer whose tokens are admitted. */
export interface AdmittedIssuer {
  readonly url: string
  /** Its accounts are `name:account`. `null`: its accounts have the names in its tokens. */
  readonly name: string | null
  /** The names of all issuers. */
  readonly names: readonly string[]
  readonly audience: readonly string[]
}

/**
 * Admits tokens of an issuer of which only the URL is known. Its metadata (OpenID Connect Discovery
 * 1.0, section 4) is read with the first token and names its keys.
 */
export function admitTokens(admitted: AdmittedIssuer): AuthenticatorFactory {
  const { url: issuer, audience } = admitted
  return {
    create(services) {
      const { clock, logger, document } = services
      const configurationUrl = new URL(
        `${issuer.replace(/(?<!\/)\/+$/, '')}/.well-known/openid-configuration`,
      )
      const read = readerOf(document, configurationUrl)
      let opened: Promise<Authenticator> | null = null
      let failedAt = -RETRY_MS
      const open = async (): Promise<Authenticator> => {
        try {
          const jwks = keysIn(await read(), issuer)
          // Few commands receive a token.
          const { createJwtAuthenticator } = await import('seine/jose')
          return createJwtAuthenticator({ jwks, issuer, audience }).create(services)
        } catch (error) {
          opened = null
          failedAt = clock.now()
          logger.error('The metadata of the issuer could not be read', {
            url: configurationUrl.href,
            error,
          })
          throw unavailable()
        }
      }
      const byHeaders = async (headers: RequestHeaders) => {
        // API keys and tokens of other issuers do not wait for this issuer.
        if (issuerIn(headers.get('authorization') ?? '') !== issuer) return null
        if (opened === null && clock.now() - failedAt < RETRY_MS) throw unavailable()
        const authenticator = await (opened ??= open())
        const principal = (await authenticator.byHeaders?.(headers)) ?? null
        return principal && ownAccount(principal, admitted)
      }
      return Object.assign(({ headers }: Request) => byHeaders(headers), { byHeaders })
    },
  }
}

/** The `iss` of a token that is not verified yet. `null`: there is no token, or it has no `iss`. */
function issuerIn(authorization: string): unknown {
  if (authorization.length > LONGEST_HEADER) return null
  const bytes = fromBase64Url(JWT.exec(authorization)?.[1] ?? '')
  if (bytes === null) return null
  try {
    const claims = parseShallowJson(new TextDecoder().decode(bytes))
    return isObject(claims) ? claims['iss'] : null
  } catch {
    return null
  }
}

/**
 * The principal with its account on this platform. Tokens of a named issuer are valid only for the
 * issuer's own accounts, so they cannot grant the scope that reaches all accounts.
 *
 * @throws {PlatformError} 401 for an account that would belong to another issuer, or is too long
 */
function ownAccount(principal: Principal, { name, names }: AdmittedIssuer): Principal {
  const { account } = principal
  if (name !== null) {
    const own = `${name}:${account}`
    if (own.length > LONGEST_ACCOUNT) throw unauthorized()
    const scopes = principal.scopes.filter((scope) => scope !== OPERATOR)
    return { ...principal, account: own, scopes }
  }
  if (names.some((other) => account.startsWith(`${other}:`))) throw unauthorized()
  return principal
}

/** @throws {CommandError} if the issuer's URL may not be requested */
function readerOf(
  document: AuthenticatorServices['document'],
  url: URL,
): () => Promise<Uint8Array> {
  try {
    return document(url)
  } catch {
    throw new CommandError(
      `--jwt-issuer ${url.origin} is not public, or not https. If this is intended, add ` +
        '--allow-private-network',
    )
  }
}

/** @throws {Error} if the metadata is of another issuer, or names no keys */
function keysIn(bytes: Uint8Array, issuer: string): string {
  const metadata = parseShallowJson(new TextDecoder().decode(bytes))
  if (!isObject(metadata) || metadata['issuer'] !== issuer)
    throw new Error(`The metadata is not that of ${issuer}, which must be as it is in \`iss\``)
  const { jwks_uri: jwks } = metadata
  if (typeof jwks !== 'string') throw new Error('The metadata has no jwks_uri')
  return jwks
}

function unavailable(): PlatformError {
  return new PlatformError('SERVICE_UNAVAILABLE', 'Tokens cannot be checked at present', {
    headers: { 'Retry-After': String(RETRY_MS / 1_000) },
  })
}
