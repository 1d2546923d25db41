import type { FetchFailureReason } from '../../kernel/failures.ts'

/** What a request is for; caps and `Accept` differ. */
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
  /** Caps; each has a default by purpose. */
  readonly maxBytes?: number
  readonly timeoutMs?: number
  /** 0 for webhooks. */
  readonly maxRedirects?: number
  /**
   * An origin that the host itself named in its options, never a recipe: exempt from the rules for
   * addresses, names and ports, as this one origin alone. Redirects to any other are checked.
   */
  readonly trustedOrigin?: string
  /** Asked before each redirect is followed; throws to stop it. */
  readonly onRedirect?: (target: URL) => void | Promise<void>
  readonly signal?: AbortSignal
}

/** The last answer of the chain. */
export interface EgressResponse {
  /** Final URL. */
  readonly url: string
  readonly status: number
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  readonly truncated: boolean
  /** URLs passed through, the first one included, the final one not. */
  readonly redirects: readonly string[]
  readonly durationMs: number
}

/** `refused`: the address guard; no packet was sent to it. */
export type EgressErrorReason =
  | FetchFailureReason
  | 'refused'
  | 'invalid_url'
  | 'too_many_redirects'
  | 'too_large'

/** Why a request gave no answer. The message is fit for the caller: it names no resolved address. */
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
