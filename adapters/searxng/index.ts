import {
  address,
  checkOptions,
  listOf,
  mapOf,
  nonEmpty,
  oneOf,
  plainText,
  required,
} from '../../src/kernel/options.ts'
import { isList, isObject } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'
import { SearchFailure } from '../../src/kernel/failures.ts'
import type { SearchProviderFactory, WebSearchHit } from '../../src/ports/search-provider.ts'

/** Options of {@link createSearxngSearch}. */
export interface SearxngSearchOptions {
  /**
   * URL of the instance, such as `https://search.example.com` or `http://searxng:8080/`. Its
   * `settings.yml` must list `json` under `search.formats`.
   */
  readonly url: URL | string
  /**
   * The instance's host again: it may then be on a private network and use `http:`. Default: public
   * and `https:`.
   */
  readonly privateHost?: string
  /** Engines to ask, such as `['duckduckgo', 'wikipedia']`. Default: those of the instance. */
  readonly engines?: readonly string[]
  /** Language of the results, such as `en` or `de-CH`. Default: that of the instance. */
  readonly language?: string
  /** 0: off, 1: moderate, 2: strict. Default: that of the instance. */
  readonly safeSearch?: 0 | 1 | 2
  /** Headers of every request, such as those that a proxy needs. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Searches by a SearXNG instance, through its JSON API (`/search?format=json`, docs.searxng.org).
 * Requests leave through the platform's egress; an instance on a private address needs
 * `privateHost`.
 *
 * @example
 *   const platform = createPlatform({
 *     search: createSearxngSearch({ url: 'http://searxng:8080', privateHost: 'searxng' }),
 *   })
 *
 * @throws {TypeError} for a URL that is not allowed, when the platform is created
 */
export function createSearxngSearch(options: SearxngSearchOptions): SearchProviderFactory {
  checkOptions<SearxngSearchOptions>('createSearxngSearch', options, {
    url: required(address),
    privateHost: nonEmpty,
    engines: listOf(nonEmpty),
    language: nonEmpty,
    safeSearch: oneOf(0, 1, 2),
    headers: mapOf(plainText),
  })
  const { url, privateHost, engines, language, safeSearch, headers } = options
  const base = new URL(url)
  const endpoint = new URL(
    `${base.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/search$/, '')}/search`,
    base,
  )
  const fixed = {
    format: 'json',
    ...(engines && { engines: engines.join(',') }),
    ...(language !== undefined && { language }),
    ...(safeSearch !== undefined && { safesearch: String(safeSearch) }),
  }
  return {
    create({ service }) {
      const ask = service(endpoint, {
        ...(privateHost !== undefined && { privateHost }),
        ...(headers && { headers }),
      })
      return {
        name: 'SearXNG',
        async search(query, { limit, signal }) {
          const answer = await ask({ ...fixed, q: query }, signal)
          const hits = hitsOf(answer)
          if (hits.length === 0 && hasSilentEngines(answer))
            throw new SearchFailure(
              'unusable',
              'None of the search engines behind the search service answered',
            )
          return hits.slice(0, limit)
        },
      }
    },
  }
}

function hitsOf(answer: Json): WebSearchHit[] {
  const results = isObject(answer) ? answer['results'] : null
  if (!isList(results))
    throw new SearchFailure('unusable', 'The search service did not answer with a list of results')
  return results.flatMap((result) => {
    if (!isObject(result)) return []
    const { title, url, content } = result
    return typeof url === 'string' && typeof title === 'string'
      ? [{ title, url, text: typeof content === 'string' ? content : '' }]
      : []
  })
}

/** True if no search engine answered, which is not the same as no results. */
function hasSilentEngines(answer: Json): boolean {
  const silent = isObject(answer) ? answer['unresponsive_engines'] : null
  return isList(silent) && silent.length > 0
}
