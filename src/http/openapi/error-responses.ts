import { ERROR_CODES, statusOf } from '../../kernel/errors.ts'
import type { ErrorCode, Issue, LimitFacts } from '../../kernel/errors.ts'
import { headerRef } from './headers.ts'
import type { JsonSchema, Reference, ResponseObject } from './types.ts'
import type { HeaderName, REQUEST_HEADERS } from './headers.ts'
import { ENVELOPES } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'

/** Parts of error bodies. */
export const ERROR_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ErrorCode: {
    type: 'string',
    enum: ERROR_CODES,
    description:
      'Machine-readable. Branch on it and on the status, never on the message. The list is closed.',
  },
  LimitFacts: {
    type: 'object',
    required: ['of'],
    additionalProperties: false,
    description: 'The figures of the limit that was reached.',
    properties: {
      of: {
        type: 'string',
        description: 'What is limited: `credits`, `tasks`, `bytes` and so on.',
      },
      needed: { type: 'number', description: 'What the request needs at most.' },
      available: { type: 'number', description: 'What is left for it.' },
      used: { type: 'number', description: 'What the account has.' },
      most: { type: 'number', description: 'The most that it may have.' },
    },
  },
  Issue: {
    type: 'object',
    required: ['path', 'message'],
    additionalProperties: false,
    properties: {
      path: {
        type: 'string',
        description:
          'Path of the value, such as `recipe.extract.fields.price.css`; empty for the whole.',
      },
      message: { type: 'string' },
    },
  },
  PreviewLimitExceeded: {
    type: 'object',
    required: ['error', 'message'],
    additionalProperties: false,
    description: "The day's quota of previews is used up.",
    properties: { error: { const: 'preview_limit_exceeded' }, message: { type: 'string' } },
  },
  ErrorText: {
    type: 'object',
    required: ['error'],
    additionalProperties: false,
    properties: { error: { type: 'string', description: 'What went wrong.' } },
  },
}

/** Collects the error responses of all operations, so that each kind is in the document once. */
export class ErrorResponses {
  readonly #components = new Map<string, ResponseObject>()

  /** The responses of an operation, by status. */
  of(rules: ResponseRules): Record<string, Reference> {
    const byStatus = Map.groupBy(rules.errors, statusOf)
    return Object.fromEntries(
      [...byStatus].map(([status, codes]) => [String(status), this.#refer(codes, rules)]),
    )
  }

  get components(): Record<string, ResponseObject> {
    return Object.fromEntries([...this.#components].toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  #refer(codes: readonly ErrorCode[], rules: ResponseRules): Reference {
    // The limiter's rejection is in the envelope everywhere.
    const asText = rules.textErrors && !codes.includes('RATE_LIMIT_EXCEEDED')
    const isLimited =
      rules.headers.includes('X-RateLimit-Limit') || codes.includes('RATE_LIMIT_EXCEEDED')
    // Statuses of refusals that are stored as the answer to a repetition of the request.
    const isKept =
      rules.successHeaders.includes('Idempotency-Replayed') &&
      codes.some((code) => code === 'NOT_FOUND' || code === 'CONFLICT')
    const name = [
      codes.map(pascal).join('Or'),
      isLimited ? '' : 'Unlimited',
      isKept ? 'Kept' : '',
      asText ? 'Text' : '',
    ].join('')
    if (!this.#components.has(name)) {
      const names = [
        ...rules.headers,
        ...(isKept ? ['Idempotency-Replayed' as const] : []),
        ...codes.flatMap((code) => ERROR_TEXTS[code].headers ?? []),
      ]
      this.#components.set(name, {
        description: codes.map((code) => ERROR_TEXTS[code].description).join(' '),
        headers: Object.fromEntries(names.map((header) => [header, headerRef(header)])),
        content: {
          'application/json': {
            schema: asText ? { $ref: '#/components/schemas/ErrorText' } : envelopeOf(codes),
            example: exampleOf(codes, asText),
          },
        },
      })
    }
    return { $ref: `#/components/responses/${name}` }
  }
}

/** The envelope with only the codes that a status can have. */
function envelopeOf(codes: readonly ErrorCode[]): JsonSchema {
  const error = {
    type: 'object',
    required: ['code', 'message'],
    additionalProperties: false,
    properties: {
      code: { $ref: '#/components/schemas/ErrorCode', enum: codes },
      message: { type: 'string', description: 'For people; its wording may change.' },
      ...(codes.includes('BAD_REQUEST') && {
        issues: { type: 'array', items: { $ref: '#/components/schemas/Issue' } },
      }),
      ...(LIMITED.some((code) => codes.includes(code)) && {
        limit: { $ref: '#/components/schemas/LimitFacts' },
      }),
    },
  }
  const envelope = {
    type: 'object',
    required: ['success', 'error'],
    additionalProperties: false,
    properties: { success: { const: false }, error },
  }
  // Quotas have their own body.
  return codes.includes('TOO_MANY_REQUESTS')
    ? { anyOf: [envelope, { $ref: '#/components/schemas/PreviewLimitExceeded' }] }
    : envelope
}

function exampleOf(
  [code = 'INTERNAL_SERVER_ERROR']: readonly ErrorCode[],
  asText: boolean,
): object {
  const { message, issues, limit } = ERROR_TEXTS[code]
  return asText
    ? { error: message }
    : {
        success: false,
        error: { code, message, ...(issues && { issues }), ...(limit && { limit }) },
      }
}

function pascal(code: string): string {
  return code
    .split('_')
    .map((word) => word.charAt(0) + word.slice(1).toLowerCase())
    .join('')
}

/** Documentation of an error. */
interface ErrorText {
  readonly description: string
  /** An example; the wording may change. */
  readonly message: string
  readonly issues?: readonly Issue[]
  readonly limit?: LimitFacts
  /** Headers that come with it. */
  readonly headers?: readonly HeaderName[]
}

/** Codes of errors that may contain the figures of a limit. */
const LIMITED: readonly ErrorCode[] = ['PAYMENT_REQUIRED', 'CONFLICT', 'TOO_MANY_REQUESTS']

/** Every error, for documentation. */
const ERROR_TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  BAD_REQUEST: {
    description: 'The request is invalid; `issues` lists each wrong field.',
    message: 'The request is invalid: limit: must be a whole number from 1 to 100',
    issues: [{ path: 'limit', message: 'must be a whole number from 1 to 100' }],
  },
  UNAUTHORIZED: {
    description:
      'The credential is missing or not valid. The response is the same for every reason.',
    message: 'A valid credential is required',
    headers: ['WWW-Authenticate'],
  },
  PAYMENT_REQUIRED: {
    description: 'The wallet has too few credits; `limit` has the figures.',
    message: 'The first page may cost 2 credits, but only 1 can be spent. Add credits.',
    limit: { of: 'credits', needed: 2, available: 1 },
  },
  FORBIDDEN: {
    description: 'The credential lacks a required scope.',
    message: 'This needs the scope tasks:read',
    headers: ['WWW-Authenticate'],
  },
  NOT_FOUND: {
    description: 'The record was not found, or it belongs to another account.',
    message: 'Task not found',
  },
  METHOD_NOT_ALLOWED: {
    description: 'The path does not support this method.',
    message: 'This path does not support PUT',
    headers: ['Allow'],
  },
  NOT_ACCEPTABLE: {
    description: '`Accept` excludes the type of the response.',
    message: 'The response is application/json, which Accept excludes',
  },
  CONFLICT: {
    description:
      'The current state does not allow this. With `Retry-After`: it conflicted with other ' +
      'requests; try again.',
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
    description: '`Range` asks for bytes beyond the end.',
    message: 'There are only 48213 bytes',
    headers: ['Content-Range'],
  },
  UNPROCESSABLE_CONTENT: {
    description: 'The `Idempotency-Key` was used for another request.',
    message: 'This Idempotency-Key was used for another request',
  },
  TOO_MANY_REQUESTS: {
    description: 'A limit of the account is reached, other than the rate limit.',
    message: 'Too many executions at the same time',
    headers: ['Retry-After'],
  },
  RATE_LIMIT_EXCEEDED: {
    description: 'Too many requests in too short a time.',
    message: 'Too many requests',
    headers: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset', 'Retry-After'],
  },
  INTERNAL_SERVER_ERROR: {
    description: 'An error of the service. Its log has the details under the request id.',
    message: 'Something went wrong on our side (request req_01K3A9Z7Q4T8V2M6N0P5R1S7WX)',
  },
  NOT_IMPLEMENTED: {
    description: 'The store of this service cannot do this.',
    message: 'Not available here',
  },
  SERVICE_UNAVAILABLE: {
    description: 'Not now; try again later.',
    message: 'Try again later',
    headers: ['Retry-After'],
  },
}

/**
 * The pipeline's work for a route: the parts of a request that it reads, and the headers and errors
 * that it adds.
 */
export interface ResponseRules {
  readonly errors: readonly ErrorCode[]
  readonly requestHeaders: readonly (keyof typeof REQUEST_HEADERS)[]
  /** Headers of every response. */
  readonly headers: readonly HeaderName[]
  /** Headers of successful responses only. */
  readonly successHeaders: readonly HeaderName[]
  /** True if 206 is possible. */
  readonly ranges: boolean
  /** True if 304 is possible. */
  readonly revalidates: boolean
  /** True if errors are `{ error }`. */
  readonly textErrors: boolean
}

/**
 * Everything about an operation that follows from its route. A new step of the pipeline is
 * documented here.
 */
export function rulesOf(route: AnyRoute): ResponseRules {
  const reads = route.method === 'GET'
  const isJsonRead = reads && route.data !== undefined
  // A public operation has no caller for whom its answer could be repeated.
  const once = !reads && route.scope !== null && route.repeatable !== true
  const rawHeaders = Object.keys(route.raw?.headers ?? {})
  const matches = isJsonRead || route.ifMatch === true
  const ranges = route.raw?.ranges === true
  const revalidates = isJsonRead || rawHeaders.includes('ETag')
  const errors: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [true, ['BAD_REQUEST', 'NOT_ACCEPTABLE', 'INTERNAL_SERVER_ERROR']],
    // Authentication may depend on another service, which may be unavailable.
    [route.scope !== null, ['UNAUTHORIZED', 'FORBIDDEN', 'SERVICE_UNAVAILABLE']],
    [route.params !== undefined, ['NOT_FOUND']],
    [!reads, ['CONFLICT']],
    [matches, ['PRECONDITION_FAILED']],
    [route.body !== undefined, ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']],
    [once, ['UNPROCESSABLE_CONTENT']],
    [route.limit !== null, ['RATE_LIMIT_EXCEEDED']],
    [ranges, ['RANGE_NOT_SATISFIABLE']],
    [true, route.errors ?? []],
  ]
  return {
    errors: [...new Set(errors.flatMap(([holds, codes]) => (holds ? codes : [])))],
    requestHeaders: [
      ...(once ? ['Idempotency-Key' as const] : []),
      ...(matches ? ['If-Match' as const] : []),
      ...(revalidates ? ['If-None-Match' as const] : []),
      ...(ranges ? (['Range', 'If-Range'] as const) : []),
      ...(route.raw?.requestHeaders ?? []),
    ],
    headers: [
      'X-Request-Id',
      // Responses that caches may share do not contain the rate limit of one caller.
      ...(route.limit === null || route.publicForSeconds !== undefined
        ? []
        : ['X-RateLimit-Limit' as const, 'X-RateLimit-Remaining' as const]),
    ],
    successHeaders: [
      ...(isJsonRead || route.tagged ? ['ETag' as const] : []),
      ...(once ? ['Idempotency-Replayed' as const] : []),
      ...(ranges ? ['Accept-Ranges' as const] : []),
    ],
    ranges,
    revalidates,
    textErrors: (route.bodies ?? ENVELOPES).error === 'text',
  }
}
