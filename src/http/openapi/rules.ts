import { ENVELOPES } from '../../kernel/http/route.ts'
import type { ErrorCode } from '../../kernel/errors.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import type { HeaderName, REQUEST_HEADERS } from './headers.ts'

/** What the steps of the pipeline make of a row: what they read of a request and add to an answer. */
export interface Rules {
  readonly errors: readonly ErrorCode[]
  readonly requestHeaders: readonly (keyof typeof REQUEST_HEADERS)[]
  /** Of every answer. */
  readonly headers: readonly HeaderName[]
  /** Of success alone. */
  readonly successHeaders: readonly HeaderName[]
  /** Whether 206 is an answer. */
  readonly ranges: boolean
  /** Whether 304 is an answer. */
  readonly revalidates: boolean
  /** Whether errors are `{ error }`. */
  readonly textErrors: boolean
}

/**
 * Everything about an operation that follows from its row. The place to tell of whatever the
 * pipeline learns to do.
 */
export function rulesOf(route: AnyRoute): Rules {
  const reads = route.method === 'GET'
  const isJsonRead = reads && route.data !== undefined
  // What is done for nobody in particular cannot be repeated to anybody.
  const once = !reads && route.scope !== null && route.repeatable !== true
  const rawHeaders = Object.keys(route.raw?.headers ?? {})
  const matches = isJsonRead || route.ifMatch === true
  const ranges = route.raw?.ranges === true
  const revalidates = isJsonRead || rawHeaders.includes('ETag')
  const errors: readonly (readonly [boolean, readonly ErrorCode[]])[] = [
    [true, ['BAD_REQUEST', 'NOT_ACCEPTABLE', 'INTERNAL_SERVER_ERROR']],
    // Who calls may be known by asking somebody else, who may not answer.
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
      ...(route.limit === null
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
