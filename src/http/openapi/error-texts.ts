import type { ErrorCode, Issue } from '../../kernel/errors.ts'
import type { HeaderName } from './headers.ts'

/** What a reader has to know of an error. */
export interface ErrorText {
  readonly description: string
  /** As an example shows it; the wording may change. */
  readonly message: string
  readonly issues?: readonly Issue[]
  /** Headers that come with it. */
  readonly headers?: readonly HeaderName[]
}

/** Every error, for documentation. */
export const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  BAD_REQUEST: {
    description: 'Something in the request is wrong; `issues` says what, and where.',
    message: 'The request is invalid: limit: must be a whole number from 1 to 100',
    issues: [{ path: 'limit', message: 'must be a whole number from 1 to 100' }],
  },
  UNAUTHORIZED: {
    description: 'The credential is missing or not valid. The answer is the same for every reason.',
    message: 'A valid credential is required',
    headers: ['WWW-Authenticate'],
  },
  PAYMENT_REQUIRED: {
    description: 'The wallet has too few credits.',
    message: 'The balance is too low',
  },
  FORBIDDEN: {
    description: 'The credential lacks a scope that this needs.',
    message: 'This needs the scope tasks:read',
    headers: ['WWW-Authenticate'],
  },
  NOT_FOUND: {
    description: 'There is no such record, or it belongs to another account.',
    message: 'Task not found',
  },
  METHOD_NOT_ALLOWED: {
    description: 'The path has no such method.',
    message: 'This path has no PUT',
    headers: ['Allow'],
  },
  NOT_ACCEPTABLE: {
    description: '`Accept` excludes what the answer would be.',
    message: 'The answer is application/json, which Accept excludes',
  },
  CONFLICT: {
    description:
      'The present state does not allow this. With `Retry-After`, others were in the way, and trying again may do.',
    message: 'The task is archived',
    headers: ['Retry-After'],
  },
  PRECONDITION_FAILED: {
    description: 'The record has changed since the `ETag` of `If-Match` was read.',
    message: 'The record has changed since: read it again',
    headers: ['ETag'],
  },
  PAYLOAD_TOO_LARGE: {
    description: 'The body is larger than the operator allows; 1 MiB by default.',
    message: 'The body is larger than 1048576 bytes',
  },
  UNSUPPORTED_MEDIA_TYPE: {
    description:
      'The body is not JSON by its `Content-Type`, or compressed by its `Content-Encoding`.',
    message: 'The body must be JSON: send Content-Type: application/json',
    headers: ['Accept', 'Accept-Encoding'],
  },
  RANGE_NOT_SATISFIABLE: {
    description: 'There is nothing where `Range` asks for it.',
    message: 'There are only 48213 bytes',
    headers: ['Content-Range'],
  },
  UNPROCESSABLE_CONTENT: {
    description: 'The `Idempotency-Key` was used for another request.',
    message: 'This Idempotency-Key was used for another request',
  },
  TOO_MANY_REQUESTS: {
    description: 'A ceiling of the account is reached that is no rate.',
    message: 'Too many executions at the same time',
    headers: ['Retry-After'],
  },
  RATE_LIMIT_EXCEEDED: {
    description: 'Too many requests in too short a time.',
    message: 'Too many requests',
    headers: ['X-RateLimit-Reset', 'Retry-After'],
  },
  INTERNAL_SERVER_ERROR: {
    description: 'A failure on our side. The log tells more under the request id.',
    message: 'Something went wrong on our side (request req_01K3A9Z7Q4T8V2M6N0P5R1S7WX)',
  },
  NOT_IMPLEMENTED: {
    description: 'The operator has not set this up.',
    message: 'Not available here',
  },
  SERVICE_UNAVAILABLE: {
    description: 'Not now; try again later.',
    message: 'Try again later',
    headers: ['Retry-After'],
  },
}
