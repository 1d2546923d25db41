import { ENVELOPES } from '../kernel/http/route.ts'
import type { BodyStyle } from '../kernel/http/route.ts'
import type { PlatformError } from '../kernel/errors.ts'
import type { Digest } from '../kernel/crypto.ts'
import { answerText } from '../kernel/http/shared-answers.ts'
import type { Outgoing, Reply } from '../kernel/http/message.ts'

const encoder = new TextEncoder()

/** The part of an answer that depends on the operation, and not on the single request. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderBag
  readonly body: string
}

/** The form of a successful response. */
export interface Shown {
  readonly status: number
  readonly bodies: BodyStyle
  /** The digest for the `ETag` of the data; `null`: no `ETag`. */
  readonly tagged: Digest | null
  /** How long shared caches may keep it, in seconds; `null`: not at all. */
  readonly publicForSeconds: number | null
}

/** A successful answer: the envelope, or the bare data if that is the operation's form. */
export function success(data: object, { status, bodies, tagged, publicForSeconds }: Shown): Answer {
  const { json, etag } = answerText(data, tagged)
  const headers: HeaderBag = tagged && etag !== null ? { ETag: etag } : {}
  if (publicForSeconds !== null) headers['Cache-Control'] = `public, max-age=${publicForSeconds}`
  return {
    status,
    headers,
    body: bodies.success === 'bare' ? json : `{"success":true,"data":${json}}`,
  }
}

/**
 * A failure with the error's own headers. Its body is the envelope, or `{ error }` if that is the
 * operation's form, or the error's own body. The limiter's rejection is always in the envelope.
 */
export function failure(error: PlatformError, bodies: BodyStyle = ENVELOPES): Answer {
  return {
    status: error.status,
    headers: error.headers,
    body: JSON.stringify(failureBody(error, bodies)),
  }
}

/** The final answer. `headers` are the request's own; `data` is the content of the body. */
export function respond(
  answer: Omit<Answer, 'body'> & Pick<Reply, 'body'>,
  headers: HeaderBag,
  data?: object,
): Reply {
  const isCacheable = answer.status === 200 && answer.headers['ETag'] !== undefined
  return {
    status: answer.status,
    headers: {
      ...headers,
      'Cache-Control': isCacheable ? 'private, no-cache' : 'no-store',
      ...answer.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    body: answer.body,
    ...(data && { data }),
  }
}

/** A 304: the caller's copy is still valid (RFC 9110 section 15.4.5). */
export function notModified(answer: Answer, headers: HeaderBag): Reply {
  return {
    status: 304,
    headers: { ...headers, 'Cache-Control': 'private, no-cache', ...answer.headers },
    body: null,
  }
}

/**
 * Adds headers to a response that the handler made. A header that the response already has stays,
 * but the two values of `Vary` are joined.
 */
export function withHeaders(response: Response, headers: HeaderBag): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
    else if (name === 'Vary') response.headers.append(name, value)
  }
  return response
}

/**
 * Returns the same response without its body, for HEAD. A body that is still being made is
 * cancelled.
 */
export function withoutBody(outgoing: Outgoing): Outgoing {
  if (!(outgoing instanceof Response)) {
    const { status, headers, body } = outgoing
    // The length that GET would report. Without it Bun and Deno send 0.
    return {
      status,
      headers:
        body === null
          ? headers
          : { ...headers, 'Content-Length': String(encoder.encode(body).length) },
      body: null,
    }
  }
  const { body, status, headers } = outgoing
  if (body === null) return outgoing
  body.cancel().catch(() => undefined)
  // The length of a streamed body is not known. An unfinished body keeps servers from sending 0.
  const ends = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.close() },
    { highWaterMark: 0 },
  )
  return new Response(headers.has('content-length') ? null : ends, { status, headers })
}

function failureBody(
  { code, message, issues, limit, body }: PlatformError,
  bodies: BodyStyle,
): object {
  if (body) return body
  if (bodies.error === 'text' && code !== 'RATE_LIMIT_EXCEEDED') return { error: message }
  return {
    success: false,
    error: { code, message, ...(issues.length > 0 && { issues }), ...(limit && { limit }) },
  }
}

/**
 * Response headers that the steps of a request collect. They are a plain object, because that is
 * the cheapest input of a `Response`.
 */
export type HeaderBag = Record<string, string>
