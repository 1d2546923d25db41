import type { AuthenticatorFactory, RequestHeaders } from 'seine'
import { createJwtAuthenticator } from 'seine/jose'
import { parseShallowJson } from '../../src/kernel/json-depth.ts'
import { PlatformError } from '../../src/kernel/errors.ts'
import { isObject } from '../../src/kernel/json.ts'
import type { Authenticator, AuthenticatorServices } from '../../src/ports/authenticator.ts'
import { CommandError } from './command-error.ts'

/** Time after a failed read before the next one, in ms. */
const RETRY_MS = 5_000
const JWT = /^bearer +[\w-]+\.[\w-]+\.[\w-]+$/i

/**
 * Admits tokens of an issuer that is known by its URL alone: where its keys are is in its metadata
 * (OpenID Connect Discovery 1.0, section 4), which is read with the first token.
 */
export function admitTokens(issuer: string, audience: readonly string[]): AuthenticatorFactory {
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
        // API keys do not wait for the issuer.
        if (!JWT.test(headers.get('authorization') ?? '')) return null
        if (opened === null && clock.now() - failedAt < RETRY_MS) throw unavailable()
        const authenticator = await (opened ??= open())
        return authenticator.byHeaders ? authenticator.byHeaders(headers) : null
      }
      return Object.assign(({ headers }: Request) => byHeaders(headers), { byHeaders })
    },
  }
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
