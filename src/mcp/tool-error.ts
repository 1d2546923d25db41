import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { Refusal } from './tool-service.ts'

/** An error of the Task Service. */
export interface ServiceError {
  readonly code: string
  readonly message: string
  /** Each with its place. */
  readonly issues: readonly string[]
}

/** The failure of a call. */
export interface Failure {
  readonly requestId: string | null
  readonly retryAfter: string | null
  /** `null`: the answer had none. */
  readonly error: ServiceError | null
}

const ADVICE: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'Correct the arguments and call again.',
  FORBIDDEN: 'This API key may not do that; ask its owner for a key with the scope.',
  PAYMENT_REQUIRED:
    'Call again with a smaller maxPages, or ask the owner of the account to add credits.',
  SERVICE_UNAVAILABLE: 'Try again later.',
  TOO_MANY_REQUESTS: 'Wait for other runs to end, or cancel one with get_run.',
  CONFLICT: 'Read the run with get_run, then try again.',
}

/**
 * Describes an error so that an agent can act on it: what was wrong, where, and what to try. It
 * contains only what the service tells its callers.
 */
export function describeError({ requestId, retryAfter, error }: Failure): string {
  if (error === null || error.code === 'INTERNAL_SERVER_ERROR')
    return `The service could not do this now (request ${requestId ?? 'unknown'}). Try again later.`
  const advice =
    error.code === 'RATE_LIMIT_EXCEEDED' || retryAfter !== null
      ? `Try again in ${retryAfter ?? '60'} seconds.`
      : (ADVICE[error.code] ?? '')
  const places = error.issues.length > 1 ? ` Issues: ${error.issues.join('; ')}.` : ''
  return `${error.code}: ${error.message.replace(/\.$/, '')}.${places} ${advice}`.trim()
}

/** Describes why a caller is refused. */
export function describeRefusal({ status, retryAfter }: Refusal): string {
  if (status === 429) return `Too many requests. Try again in ${retryAfter ?? '60'} seconds.`
  return status === 401
    ? 'A valid credential is required'
    : 'The credential has none of the scopes of this endpoint'
}

/**
 * A failure as a tool result, which agents can read and react to (Model Context Protocol, tools,
 * error handling).
 */
export function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] }
}
