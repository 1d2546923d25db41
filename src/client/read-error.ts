import type { ErrorCode, Issue, LimitFacts } from '../kernel/errors.ts'
import { SeineError } from './error.ts'
import type { SeineErrorCode } from './error.ts'
import { retryAfterOf } from './retry-delay.ts'

/** Codes for bodies without a code. */
const CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  402: 'PAYMENT_REQUIRED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  501: 'NOT_IMPLEMENTED',
  503: 'SERVICE_UNAVAILABLE',
}

/**
 * Returns the error in an answer: the envelope `{ error: { code, message, issues } }`, `{ error,
 * message }` of the preview quotas, `{ error }` of media and of legacy billing, or a proxy's text.
 *
 * @param now Unix milliseconds.
 */
export async function readError(response: Response, now: number): Promise<SeineError> {
  const { status, headers } = response
  // If the body breaks off, the status is still known.
  const body = parseObject(await response.text().catch(() => ''))
  const { code, message, ...facts } = partsOf(body, CODES[status] ?? 'UNEXPECTED_RESPONSE')
  return new SeineError(code, message ?? `The service answered with status ${status}`, {
    ...facts,
    status,
    // RFC 6750, section 3.
    scope: /\bscope="([^"]+)"/.exec(headers.get('www-authenticate') ?? '')?.[1] ?? null,
    requestId: headers.get('x-request-id'),
    retryAfter: retryAfterOf(headers, now),
  })
}

interface Parts {
  readonly code: SeineErrorCode
  readonly message: string | null
  readonly issues?: readonly Issue[]
  readonly limit?: LimitFacts | null
}

function partsOf(body: Readonly<Record<string, unknown>> | null, code: SeineErrorCode): Parts {
  const error = body?.['error']
  if (isObject(error))
    return {
      code: textOf(error['code']) ?? code,
      message: textOf(error['message']),
      issues: issuesOf(error['issues']),
      limit: limitOf(error['limit']),
    }
  const message = textOf(body?.['message'])
  const text = textOf(error)
  return text !== null && message !== null ? { code: text, message } : { code, message: text }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function issuesOf(value: unknown): Issue[] {
  return Array.isArray(value) ? value.filter(isIssue) : []
}

function limitOf(value: unknown): LimitFacts | null {
  if (!isObject(value)) return null
  const { of, ...figures } = value
  if (typeof of !== 'string') return null
  const numbers = Object.entries(figures).filter(([, figure]) => typeof figure === 'number')
  return { of, ...Object.fromEntries(numbers) }
}

function isIssue(value: unknown): value is Issue {
  return (
    isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
  )
}

/** The same as `isObject` of `src/kernel/json.ts`, because the client imports only types from there. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A JSON object; `null` for any other text. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
