/** Why a search service gave no results. */
export type SearchFailureReason = 'refused' | 'limited' | 'unreachable' | 'unusable'

/**
 * Thrown by a `SearchProvider`. The message is shown to callers: it says what to do, and holds
 * neither key nor address.
 */
export class SearchFailure extends Error {
  override readonly name = 'SearchFailure'
  readonly reason: SearchFailureReason
  /** Seconds after which it may be tried again, where the service says so. */
  readonly retryAfter: number | null

  constructor(
    reason: SearchFailureReason,
    message: string,
    options: { readonly retryAfter?: number | null; readonly cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.reason = reason
    this.retryAfter = options.retryAfter ?? null
  }
}
