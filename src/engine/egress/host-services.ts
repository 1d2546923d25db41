import { refusalOf } from './guard.ts'
import type { AuthenticatorServices } from '../../ports/authenticator.ts'
import { EgressError } from './types.ts'
import type { Egress } from './types.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelServices } from '../../ports/model.ts'
import type { SearchServices } from '../../ports/search-provider.ts'

/**
 * Checks a URL from the host's options before any request is sent. `allowPrivateNetwork`: as in the
 * egress. `privateHost`: the URL's hostname, repeated by the host to confirm it; that host may then
 * be on a private network and use `http:`.
 *
 * @throws {TypeError} The message says how to fix the option
 */
function demandNamed(
  { href, hostname, protocol }: URL,
  allowPrivateNetwork: boolean,
  privateHost: string | undefined,
): void {
  if (privateHost !== undefined && privateHost !== hostname)
    throw new TypeError(`privateHost is ${privateHost}, but the host of ${href} is ${hostname}`)
  const isTrusted = allowPrivateNetwork || privateHost !== undefined
  const refusal =
    refusalOf(href, { allowPrivateNetwork: isTrusted }) ??
    (isTrusted || protocol === 'https:'
      ? null
      : 'Over http anyone on the way could change the answer.')
  if (refusal !== null)
    throw new TypeError(
      `${href} cannot be requested. ${refusal}${isTrusted ? '' : ` ${adviseHost(hostname)}`}`,
    )
}

/** Advice for the error message when a hostname is refused but may be intended. */
function adviseHost(hostname: string): string {
  return `If this host is on your own network, say so: privateHost: '${hostname}'`
}

/**
 * Gives authenticators limited access to the egress. Each document is one GET with the limits of a
 * key set. Redirects are not followed: an attacker who controls the redirect could supply their own
 * keys.
 */
export function createDocuments({
  egress,
  allowPrivateNetwork,
}: {
  readonly egress: Egress
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
}): AuthenticatorServices['document'] {
  return (url, { privateHost } = {}) => {
    const { href, hostname, origin } = url
    demandNamed(url, allowPrivateNetwork, privateHost)
    return async () => {
      const response = await egress({
        url: href,
        purpose: 'jwks',
        maxRedirects: 0,
        ...(privateHost !== undefined && { trustedOrigin: origin }),
      }).catch((error: unknown) => {
        throw error instanceof EgressError && error.reason === 'refused'
          ? new Error(`${error.message} ${adviseHost(hostname)}`, { cause: error })
          : error
      })
      if (response.status !== 200) throw new Error(`${href} answered ${response.status}`)
      return response.body
    }
  }
}

/**
 * Gives models limited access to the egress. Addresses are checked immediately. The code that calls
 * them is loaded with the first question.
 */
export function createModelServices({
  egress,
  allowPrivateNetwork,
  clock,
}: {
  readonly egress: Egress
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
  readonly clock: Clock
}): ModelServices {
  return {
    endpoint(url, { privateHost, headers = {} } = {}) {
      demandNamed(url, allowPrivateNetwork, privateHost)
      const trusted = privateHost === undefined ? {} : { trustedOrigin: url.origin }
      return async (body, signal) => {
        const { askModelEndpoint } = await import('./ask-model-endpoint.ts')
        return askModelEndpoint(
          {
            egress,
            clock,
            request: {
              url: url.href,
              purpose: 'model',
              method: 'POST',
              headers: { ...headers, 'content-type': 'application/json' },
              ...trusted,
            },
          },
          body,
          signal,
        )
      }
    },
  }
}

/** Dependencies of {@link createSearchServices}. */
interface SearchServicesOptions {
  readonly egress: Egress
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
  readonly now: () => number
}

/**
 * Gives search providers limited access to the egress. Addresses are checked immediately. The code
 * that calls them is loaded with the first search.
 */
export function createSearchServices({
  egress,
  allowPrivateNetwork,
  now,
}: SearchServicesOptions): SearchServices {
  return {
    service(url, { privateHost, headers = {} } = {}) {
      demandNamed(url, allowPrivateNetwork, privateHost)
      const trusted = privateHost === undefined ? {} : { trustedOrigin: url.origin }
      return async (query, signal) => {
        const { askSearchService } = await import('./ask-search-service.ts')
        return askSearchService({ egress, now, url, headers, ...trusted }, query, signal)
      }
    },
  }
}
