import {
  address,
  checkOptions,
  nonEmpty,
  oneOf,
  required,
  textLike,
} from '../../src/kernel/options.ts'
import { isObject } from '../../src/kernel/json.ts'
import type { Json } from '../../src/kernel/json.ts'
import { SearchFailure } from '../../src/kernel/failures.ts'
import type { SearchProviderFactory, WebSearchHit } from '../../src/ports/search-provider.ts'

/** Options of {@link createBraveSearch}. */
export interface BraveSearchOptions {
  /** The subscription's key. It is sent in a header, and no message contains it. */
  readonly key: string
  /** Country of the results, such as `US`. Default: Brave's own default. */
  readonly country?: string
  /** Language of the results, such as `en`. Default: Brave's own default. */
  readonly language?: string
  readonly safeSearch?: 'off' | 'moderate' | 'strict'
  /** URL of the API, for your own proxy. Default `https://api.search.brave.com/res/v1/web/search`. */
  readonly url?: URL | string
  /** The URL's host again, if it is on a private network. */
  readonly privateHost?: string
}

const ENDPOINT = 'https://api.search.brave.com/res/v1/web/search'
/** Maximum number of results in one answer of the API. */
const MOST = 20
/** Maximum number of characters and of words in a query of the API. */
const LONGEST = 400
const MOST_WORDS = 50
const KEY = textLike('a text of 1 to 200 visible characters of ASCII', (text) =>
  /^[\x21-\x7e]{1,200}$/.test(text),
)

/**
 * Searches by the Brave Search API (api-dashboard.search.brave.com). Requests leave through the
 * platform's egress.
 *
 * @example
 *   const platform = createPlatform({ search: createBraveSearch({ key: 'BSA-your-own-key' }) })
 *
 * @throws {TypeError} for a key with a wrong form
 */
export function createBraveSearch(options: BraveSearchOptions): SearchProviderFactory {
  checkOptions<BraveSearchOptions>('createBraveSearch', options, {
    key: required(KEY),
    country: nonEmpty,
    language: nonEmpty,
    safeSearch: oneOf('off', 'moderate', 'strict'),
    url: address,
    privateHost: nonEmpty,
  })
  const { key, country, language, safeSearch, url = ENDPOINT, privateHost } = options
  const endpoint = new URL(url)
  const fixed = {
    text_decorations: 'false',
    result_filter: 'web',
    ...(country !== undefined && { country }),
    ...(language !== undefined && { search_lang: language }),
    ...(safeSearch !== undefined && { safesearch: safeSearch }),
  }
  return {
    create({ service }) {
      const ask = service(endpoint, {
        headers: { 'X-Subscription-Token': key },
        ...(privateHost !== undefined && { privateHost }),
      })
      return {
        name: 'Brave Search',
        async search(query, { limit, signal }) {
          const shortened = query
            .split(/\s+/)
            .slice(0, MOST_WORDS)
            .join(' ')
            .slice(0, LONGEST)
            .toWellFormed()
          return hitsOf(
            await ask({ ...fixed, q: shortened, count: String(Math.min(limit, MOST)) }, signal),
          ).slice(0, limit)
        },
      }
    },
  }
}

/** An answer without web results has no `web` at all. */
function hitsOf(answer: Json): WebSearchHit[] {
  if (!isObject(answer)) throw unusable()
  const web = answer['web']
  if (web === undefined || web === null) return []
  const results = isObject(web) ? web['results'] : null
  if (!Array.isArray(results)) throw unusable()
  return results.flatMap((result: Json) => {
    if (!isObject(result)) return []
    const { title, url, description, extra_snippets: more } = result
    if (typeof title !== 'string' || typeof url !== 'string') return []
    const texts = [description, ...(Array.isArray(more) ? more : [])].filter(
      (text) => typeof text === 'string',
    )
    return [{ title, url, text: texts.join(' … ') }]
  })
}

function unusable(): SearchFailure {
  return new SearchFailure('unusable', 'The search service did not answer with a list of results')
}
