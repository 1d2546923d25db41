import type { FetchFailureReason } from '../../kernel/failures.ts'

/** The purpose of a request. Limits and `Accept` depend on it. */
export type EgressPurpose =
  | 'page'
  | 'robots'
  | 'sitemap'
  | 'media'
  | 'webhook'
  | 'jwks'
  | 'search'
  | 'model'

/** One outgoing request, redirects included. */
export interface EgressRequest {
  readonly url: string
  readonly purpose: EgressPurpose
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  /** Limits. Each has a default by purpose. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  /** 0 for webhooks. */
  readonly maxRedirects?: number
  /**
   * An origin that the host's own options name; never one from a recipe. Only this origin is exempt
   * from the rules for addresses, names and ports. Redirects to any other origin are checked.
   */
  readonly trustedOrigin?: string
  /** Called before each redirect is followed. It throws to stop the redirect. */
  readonly onRedirect?: (target: RedirectTarget) => void | Promise<void>
  /** Called with each response when it arrives, also with redirects. */
  readonly onHop?: (hop: EgressHop) => void
  readonly signal?: AbortSignal
}

/**
 * The URL that a redirect leads to. It is not the object that the request is sent to, so that who
 * sees it has no say in where the request goes.
 */
export type RedirectTarget = Readonly<Pick<URL, 'href' | 'origin' | 'pathname' | 'search'>>

/** One response of a redirect chain. Times are in ms; absent: not known. */
export interface EgressHop {
  readonly url: string
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  /** True if the response redirects to another URL. */
  readonly leadsOn: boolean
  /** Absent if the host is an address itself, or if names cannot be resolved here. */
  readonly dnsMs?: number
  /** Also absent if the connection was already open. */
  readonly connectMs?: number
  readonly firstByteMs?: number
}

/** The last response of a redirect chain. */
export interface EgressResponse {
  /** Final URL. */
  readonly url: string
  readonly status: number
  /** Response headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly truncated: boolean
  /** For a truncated body: the maximum number of bytes. */
  readonly maxBytes?: number
  /** As in `HopResponse`. */
  readonly isOwned?: boolean
  /** The redirecting URLs in order: includes the first URL, excludes the final one. */
  readonly redirects: readonly string[]
  readonly durationMs: number
}

/**
 * `refused`: the address guard blocked the request, and no packet was sent. `robots_disallowed`:
 * the site's robots.txt forbids the URL.
 */
export type EgressErrorReason =
  | FetchFailureReason
  | 'refused'
  | 'robots_disallowed'
  | 'invalid_url'
  | 'too_many_redirects'
  | 'too_large'

/**
 * The reason why a request got no response. The message is safe to show to the caller: it contains
 * no resolved address.
 */
export class EgressError extends Error {
  override readonly name = 'EgressError'
  readonly reason: EgressErrorReason

  constructor(reason: EgressErrorReason, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.reason = reason
  }
}

/**
 * The one function through which every request of the platform leaves.
 *
 * @throws {EgressError}
 */
export type Egress = (request: EgressRequest) => Promise<EgressResponse>

/** The default `User-Agent`. */
export const USER_AGENT = 'Mozilla/5.0 (compatible; Seine/0.1)'
