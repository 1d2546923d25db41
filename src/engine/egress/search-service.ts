import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import type { SearchServices } from '../../ports/search-provider.ts'
import { parseRetryAfter } from '../crawl/retry-after.ts'
import { demandNamed } from './named-url.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressResponse } from './types.ts'

/** What {@link createSearchServices} works with. */
export interface SearchServicesOptions {
  readonly egress: Egress
  /** As the egress has it. */
  readonly allowPrivateNetwork: boolean
  readonly now: () => number
}

const decoder = new TextDecoder()

/**
 * Lends the egress to search providers. No redirect is followed: whoever could redirect it would be
 * given the key.
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
    throw new SearchFailure('limited', 'The search service has had too many searches', {
      retryAfter,
    })
  if (status === 401 || status === 403)
    throw new SearchFailure(
      'refused',
      `The search service refuses this platform (status ${status}): its operator has to look at the key and the settings of the service`,
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
  throw new SearchFailure('unusable', 'The search service answered with something that is no JSON')
}

/** Names no host: the operator's network is not the caller's business. */
function reasonOf({ reason }: EgressError): string {
  switch (reason) {
    case 'timeout':
      return 'The search service did not answer in time'
    case 'too_large':
      return 'The search service answered with more than 2 MiB'
    case 'refused':
      return 'The search service is not on the public internet: its operator has to name its host as private'
    default:
      return 'The search service could not be reached'
  }
}
