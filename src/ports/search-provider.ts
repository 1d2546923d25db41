import type { Json } from '../kernel/json.ts'

/** One result of a web search. */
export interface WebSearchHit {
  readonly title: string
  /** http or https; others are left out. */
  readonly url: string
  /** A passage of the page about the query, as plain text. */
  readonly text: string
}

/**
 * Searches the web for agents. `createSearxngSearch` of `seine/searxng` and `createBraveSearch` of
 * `seine/brave` are such; a host's own is an object with a name and a function.
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
  /** Its name in answers, such as `Brave Search`. */
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
   * A way to ask one service that the host itself named. It leaves through the platform's egress,
   * so the address guard and the host's own fetcher hold for it; 10 seconds, 2 MiB, no redirects.
   *
   * @throws {TypeError} for a URL that may not be asked; the message says what to do
   */
  service(url: URL, options?: SearchServiceOptions): AskSearchService
}

/** Options of {@link SearchServices.service}. */
export interface SearchServiceOptions {
  /**
   * The URL's host, named once more: it may then be on a private network and be asked over `http:`.
   * Default: public and `https:`.
   */
  readonly privateHost?: string
  /** Sent with every request, such as the one that holds a key. */
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Sends one GET with these query parameters.
 *
 * @throws {SearchFailure} where no JSON comes back, or no status of success
 */
export type AskSearchService = (
  query: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Json>
