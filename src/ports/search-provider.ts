import type { Json } from '../kernel/json.ts'

/** One result of a web search. */
export interface WebSearchHit {
  readonly title: string
  /** http or https. Results with other URLs are left out. */
  readonly url: string
  /** A passage of the page about the query, as plain text. */
  readonly text: string
}

/**
 * Searches the web for agents. `createSearxngSearch` of `seine/searxng` and `createBraveSearch` of
 * `seine/brave` make one. A provider of your own is an object with a name and a function.
 *
 * @example
 *   const handbook: SearchProvider = {
 *     name: 'Handbook',
 *     search: async (query, { limit }) =>
 *       [
 *         { title: 'Leave', url: 'https://handbook.example.com/leave', text: `About ${query}` },
 *       ].slice(0, limit),
 *   }
 *   const platform = createPlatform({ search: handbook })
 */
export interface SearchProvider {
  /** The provider's name in answers, such as `Brave Search`. */
  readonly name: string
  /**
   * The best results first, `limit` at most.
   *
   * @throws {SearchFailure} with a message for callers; other errors stay in the log
   */
  search(
    query: string,
    options: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly WebSearchHit[]>
}

/**
 * A search provider that needs the platform's egress. `createPlatform` creates it once and does not
 * catch its errors: wrong options show when the application starts.
 */
export interface SearchProviderFactory {
  create(services: SearchServices): SearchProvider
}

/** Services of the platform for a {@link SearchProviderFactory}. */
export interface SearchServices {
  /**
   * Returns a function that calls one service of the host's choice. Calls pass the platform's
   * egress, so the address guard and the host's own fetcher apply. A call takes at most 10 seconds,
   * an answer has at most 2 MiB, and redirects are not followed.
   *
   * @throws {TypeError} for a URL that is not allowed; the message says what to do
   */
  service(url: URL, options?: SearchServiceOptions): AskSearchService
}

/** Options of {@link SearchServices.service}. */
export interface SearchServiceOptions {
  /**
   * The URL's host once more. It allows a private network and `http:`. Default: only public
   * addresses and `https:`.
   */
  readonly privateHost?: string
  /** Sent with every request, such as the one that holds a key. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends one GET with these query parameters.
 *
 * @throws {SearchFailure} if the answer is not JSON, or its status is not one of success
 */
export type AskSearchService = (
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Json>
