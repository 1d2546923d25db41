import { parseShallowJson } from '../../kernel/json-depth.ts'
import { isJson } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import { parseRetryAfter } from './retry-after.ts'
import { EgressError } from './types.ts'
import type { Egress, EgressResponse } from './types.ts'

/** The search service that the host's options name. */
interface SearchService {
  readonly egress: Egress
  readonly now: () => number
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly trustedOrigin?: string
}

const decoder = new TextDecoder()

/**
 * Asks a search service once. Redirects are not followed: the redirect's target would receive the
 * API key.
 *
 * @throws {SearchFailure} and the reason of `signal`
 */
export async function askSearchService(
  { egress, now, url, headers, ...trusted }: SearchService,
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Json> {
  const address = new URL(url)
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
  const response = await egress({
    url: address.href,
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
    const parsed = parseShallowJson(decoder.decode(body))
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
