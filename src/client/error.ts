import type { ErrorCode, Issue, LimitFacts } from '../kernel/errors.ts'

/**
 * The service's own codes; `preview_limit_exceeded` for a day's quota; `NETWORK_ERROR` if there was
 * no answer; `UNEXPECTED_RESPONSE` for an answer that is not the service's, such as a proxy's page
 * or a redirect. Later versions of the service may have more.
 */
export type SeineErrorCode =
  | ErrorCode
  | 'preview_limit_exceeded'
  | 'NETWORK_ERROR'
  | 'UNEXPECTED_RESPONSE'
  | (string & Record<never, never>)

/** Facts of a {@link SeineError}. */
export interface SeineErrorFacts {
  readonly status?: number
  readonly issues?: readonly Issue[]
  readonly limit?: LimitFacts | null
  readonly scope?: string | null
  readonly requestId?: string | null
  readonly retryAfter?: number | null
  readonly cause?: unknown
}

/**
 * A call that failed, after all retries. Branch on `code` or `status`, never on the message. A call
 * that was aborted rejects with its signal's reason instead.
 *
 * @example
 *   const client = createClient({ baseUrl: 'https://data.example', apiKey: 'svc_sk_…' })
 *   try {
 *     await client.tasks.get('task_1')
 *   } catch (error) {
 *     if (!(error instanceof SeineError && error.code === 'NOT_FOUND')) throw error
 *   }
 */
export class SeineError extends Error {
  override readonly name = 'SeineError'
  readonly code: SeineErrorCode
  /** Status of the answer; 0 if there was none. */
  readonly status: number
  /** Problems of the input, with their paths, such as `recipe.start.urls.0`. */
  readonly issues: readonly Issue[]
  /** The figures of the limit that refused the call, such as credits. `null`: no limit refused it. */
  readonly limit: LimitFacts | null
  /** The scope that the credential lacks, such as `tasks:write`; `null`: it lacks no scope. */
  readonly scope: string | null
  /** The id of the call in the service's logs. */
  readonly requestId: string | null
  /** Seconds after which another try may succeed, if the service says so. */
  readonly retryAfter: number | null

  constructor(code: SeineErrorCode, message: string, facts: SeineErrorFacts = {}) {
    // `Error` itself stores the cause only if it is passed.
    super(message, facts)
    this.code = code
    this.status = facts.status ?? 0
    this.issues = facts.issues ?? []
    this.limit = facts.limit ?? null
    this.scope = facts.scope ?? null
    this.requestId = facts.requestId ?? null
    this.retryAfter = facts.retryAfter ?? null
  }
}
