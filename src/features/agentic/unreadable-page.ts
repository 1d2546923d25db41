import type { PageReason } from '../../engine/visit/fetch-page.ts'
import type { UnreadPage } from '../../engine/visit/visit-page.ts'
import { PlatformError } from '../../kernel/errors.ts'

/**
 * The reason why a page gave no text. `code`: the code of the page's outcome, or one that only this
 * error uses.
 */
export interface Unreadable {
  readonly code: string
  /** Text for people, without a final full stop. */
  readonly message: string
  /** Seconds after which the site allows the next request. */
  readonly retryAfter?: number | null
  /** Default `failed`. */
  readonly outcome?: UnreadPage['outcome']
  readonly bytes?: number
}

/** The 422 error for a page that cannot be read, with the facts for the counters. */
export class UnreadablePage extends PlatformError {
  readonly outcome: UnreadPage['outcome']
  readonly reason: PageReason
  readonly bytes: number

  constructor(
    { outcome = 'failed', bytes = 0, retryAfter = null, ...reason }: Unreadable,
    message: string,
  ) {
    super(
      'UNPROCESSABLE_CONTENT',
      message,
      retryAfter === null ? {} : { headers: { 'Retry-After': String(retryAfter) } },
    )
    this.outcome = outcome
    this.reason = reason
    this.bytes = bytes
  }
}
