import { refusalOf } from './guard.ts'
import type { AuthenticatorServices } from '../../ports/authenticator.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressResponse } from './types.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ModelServices } from '../../ports/model.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import type { SearchServices } from '../../ports/search-provider.ts'
import { parseRetryAfter } from './retry-after.ts'

/** Rules for a URL from the host's own options. */
interface NamedUrlOptions {
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
  /**
   * The URL's hostname, repeated by the host to confirm it. That host may then be on a private
   * network and use `http:`.
   */
  readonly privateHost?: string
}

/**
 * Checks a URL from the host's options before any request is sent.
 *
 * @throws {TypeError} The message says how to fix the option
 */
function demandNamed(
  { href, hostname, protocol }: URL,
  { allowPrivateNetwork, privateHost }: NamedUrlOptions,
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

/** Dependencies of {@link createDocuments}. */
interface DocumentsOptions {
  readonly egress: Egress
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
}

/**
 * Gives authenticators limited access to the egress. Each document is one GET with the limits of a
 * key set. Redirects are not followed: an attacker who controls the redirect could supply their own
 * keys.
 */
export function createDocuments({
  egress,
  allowPrivateNetwork,
}: DocumentsOptions): AuthenticatorServices['document'] {
  return (url, { privateHost } = {}) => {
    const { href, hostname, origin } = url
    demandNamed(url, { allowPrivateNetwork, ...(privateHost !== undefined && { privateHost }) })
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

/** Dependencies of {@link createModelServices}. */
interface ModelServicesOptions {
  readonly egress: Egress
  /** The same setting as in the egress. */
  readonly allowPrivateNetwork: boolean
  readonly clock: Clock
}

/**
 * Gives models limited access to the egress. Addresses are checked immediately. The code that calls
 * them is loaded with the first question.
 */
export function createModelServices({
  egress,
  allowPrivateNetwork,
  clock,
}: ModelServicesOptions): ModelServices {
  return {
    endpoint(url, { privateHost, headers = {} } = {}) {
      demandNamed(url, { allowPrivateNetwork, ...(privateHost !== undefined && { privateHost }) })
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

const decoder = new TextDecoder()

/**
 * Gives search providers limited access to the egress. Redirects are not followed: the redirect's
 * target would receive the API key.
 */
export function createSearchServices({
  egress,
  allowPrivateNetwork,
  now,
}: SearchServicesOptions): SearchServices {
  return {
    service(url, { privateHost, headers = {} } = {}) {
      demandNamed(url, { allowPrivateNetwork, ...(privateHost !== undefined && { privateHost }) })
      const trusted = privateHost === undefined ? {} : { trustedOrigin: url.origin }
      return async (query, signal) => {
        const asked = new URL(url)
        for (const [name, value] of Object.entries(query)) asked.searchParams.set(name, value)
        const response = await egress({
          url: asked.href,
          purpose: 'search',
          headers: { ...headers, accept: 'application/json' },
          signal,
          ...trusted,
        }).catch((error: unknown) => {
          signal.throwIfAborted()
          throw error instanceof EgressError
            ? new SearchFailure('unreachable', reasonOf(error), { cause: error })
            : error
        })
        return bodyOf(response, now())
      }
    },
  }
}

function bodyOf({ status, headers, body }: EgressResponse, now: number): Json {
  const wait = parseRetryAfter(headers['retry-after'], now)
  const retryAfter = wait === null ? null : Math.ceil(wait / 1_000)
  if (status === 429)
    throw new SearchFailure('limited', 'The search service received too many searches', {
      retryAfter,
    })
  if (status === 401 || status === 403)
    throw new SearchFailure(
      'refused',
      `The search service refuses this platform (status ${status}): the operator must check ` +
        'its key and settings',
    )
  if (status !== 200)
    throw new SearchFailure('unusable', `The search service answered with status ${status}`, {
      retryAfter,
    })
  try {
    const parsed: unknown = JSON.parse(decoder.decode(body))
    if (isJson(parsed)) return parsed
  } catch {
    // Told below.
  }
  throw new SearchFailure('unusable', 'The search service did not answer with JSON')
}

/** The reason names no host: the caller must not learn about the operator's network. */
function reasonOf({ reason }: EgressError): string {
  switch (reason) {
    case 'timeout':
      return 'The search service did not answer in time'
    case 'too_large':
      return 'The search service answered with more than 2 MiB'
    case 'refused':
      return 'The search service is not on the public internet: the operator must name its host as private'
    default:
      return 'The search service could not be reached'
  }
}
