import type { HeaderObject, Parameter } from './types.ts'

const text = { type: 'string' }
const count = { type: 'integer', minimum: 0 }

/** Headers that the pipeline adds to responses. */
export const HEADERS = {
  'X-Request-Id': {
    description:
      "The request's id in the logs: the caller's own if it has 8 to 64 letters, digits, `-` " +
      'or `_`, else a new one.',
    required: true,
    schema: { type: 'string', pattern: '^[\\w-]{8,64}$' },
    example: 'req_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
  },
  'X-RateLimit-Limit': {
    description:
      'Calls that can be made at once after a pause: the largest burst, which may differ from the ' +
      'calls a minute. Absent if the operator has switched limits off.',
    schema: count,
    example: 120,
  },
  'X-RateLimit-Remaining': {
    description: 'Calls that can be made now.',
    schema: count,
    example: 117,
  },
  'X-RateLimit-Reset': {
    description: 'When the next call is allowed: Unix time in seconds.',
    schema: count,
    example: 1_924_992_060,
  },
  'Retry-After': { description: 'Seconds to wait before trying again.', schema: count, example: 3 },
  ETag: {
    description:
      'Tag of this response, for `If-None-Match` and `If-Match` (RFC 9110 section 8.8.3).',
    schema: { type: 'string', pattern: '^"[!-~]+"$' },
    example: '"5f0c1b7ad3e94c02b8a6d7f1e3c90a4d"',
  },
  'Idempotency-Replayed': {
    description:
      '`true` if this is the stored response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
    example: 'true',
  },
  'WWW-Authenticate': {
    description: 'What is missing (RFC 6750 section 3).',
    schema: text,
    example: 'Bearer',
  },
  'Accept-Ranges': {
    description: '`bytes`: `Range` requests are supported.',
    schema: { type: 'string', const: 'bytes' },
    example: 'bytes',
  },
  'Content-Range': {
    description: "The part's position and the size of the whole (RFC 9110 section 14.4).",
    schema: { type: 'string', pattern: '^bytes (\\d+-\\d+|\\*)/\\d+$' },
    example: 'bytes 0-1023/48213',
  },
  Allow: {
    description: 'Methods that the path supports.',
    schema: text,
    example: 'GET, HEAD, OPTIONS',
  },
  Accept: {
    description: 'Supported content types.',
    schema: text,
    example: 'application/json',
  },
  'Accept-Encoding': {
    description: 'Supported content codings, if the coding was wrong: none.',
    schema: { type: 'string', const: 'identity' },
    example: 'identity',
  },
} as const satisfies Record<string, HeaderObject>

/** One of {@link HEADERS}. */
export type HeaderName = keyof typeof HEADERS

/** A reference to a header among the components. */
export function headerRef(name: HeaderName): { readonly $ref: string } {
  return { $ref: `#/components/headers/${name}` }
}

const tagList = { type: 'string', minLength: 1 }

/** Headers of requests that the pipeline reads, except credentials. */
export const REQUEST_HEADERS = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Any text of your own, such as a UUID. The same request with the same key within 24 ' +
      'hours gets the first response again and has no second effect. A different request with the ' +
      'same key is 422; while the first is in progress, 409.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '3f8a1c52-90de-4b7c-a4d1-2f6e0c9b7a31',
  },
  'If-Match': {
    name: 'If-Match',
    in: 'header',
    required: false,
    description: 'Applies only if the record still has this `ETag`; otherwise the response is 412.',
    schema: tagList,
    example: '"5f0c1b7ad3e94c02b8a6d7f1e3c90a4d"',
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description:
      'The `id` of the last event received: the stream continues after it. `0` begins with ' +
      'the first event that is kept.',
    schema: { type: 'string', maxLength: 60 },
    example: '13.0.1896091501000',
  },
  Range: {
    name: 'Range',
    in: 'header',
    required: false,
    description:
      'One range of bytes; the response is 206. Several ranges at once return the whole.',
    schema: text,
    example: 'bytes=0-1023',
  },
  'If-Range': {
    name: 'If-Range',
    in: 'header',
    required: false,
    description:
      '`Range` applies only if the bytes still have this `ETag`; otherwise the response has all bytes.',
    schema: text,
    example: '"5f0c1b7ad3e94c02b8a6d7f1e3c90a4d"',
  },
  'If-None-Match': {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'If the response would have this `ETag`, it is 304 without a body.',
    schema: tagList,
    example: '"5f0c1b7ad3e94c02b8a6d7f1e3c90a4d"',
  },
} as const satisfies Record<string, Parameter>
