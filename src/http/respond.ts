import { ENVELOPES } from '../kernel/http/route.ts'
import type { BodyStyle } from '../kernel/http/route.ts'
import type { PlatformError } from '../kernel/errors.ts'
import type { Digest } from '../kernel/crypto.ts'
import { etagOf } from '../kernel/http/headers.ts'
import type { Outgoing, Reply } from '../kernel/http/message.ts'

const encoder = new TextEncoder()

/** All of an answer that belongs to the operation, and not to the one request that asked for it. */
export interface Answer {
  readonly status: number
  readonly headers: HeaderBag
  readonly body: string
}

/** How a success is shown. */
export interface Shown {
  readonly status: number
  readonly bodies: BodyStyle
  /** What the `ETag` of the data is made by; `null`: it has none. */
  readonly tagged: Digest | null
  /** How long anybody's cache may keep it; `null`: none may. */
  readonly publicForSeconds: number | null
}

/** A success: the envelope, or the bare data where the operation was promised so. */
export function success(data: object, { status, bodies, tagged, publicForSeconds }: Shown): Answer {
  const json = JSON.stringify(data)
  const headers: HeaderBag = tagged ? { ETag: etagOf(json, tagged) } : {}
  if (publicForSeconds !== null) headers['Cache-Control'] = `public, max-age=${publicForSeconds}`
  return {
    status,
    headers,
    body: bodies.success === 'bare' ? json : `{"success":true,"data":${json}}`,
  }
}

/**
 * A failure with the error's own headers: in the envelope, as `{ error }` where the
 * operation was promised so, or with the error's own body. The limiter's rejection is always in the
 * envelope.
 */
export function failure(error: PlatformError, bodies: BodyStyle = ENVELOPES): Answer {
  return {
    status: error.status,
    headers: error.headers,
    body: JSON.stringify(failureBody(error, bodies)),
  }
}

/** An answer as it leaves. `headers` are the request's own. */
export function respond(answer: Answer, headers: HeaderBag): Reply {
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
  }
}

/** 304: what the caller has is still so (RFC 9110 section 15.4.5). */
export function notModified(answer: Answer, headers: HeaderBag): Reply {
  return {
    status: 304,
    headers: { ...headers, 'Cache-Control': 'private, no-cache', ...answer.headers },
    body: null,
  }
}

/** Adds headers to a handler's own response, whose headers win; both may vary the answer. */
export function withHeaders(response: Response, headers: HeaderBag): Response {
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value)
    else if (name === 'Vary') response.headers.append(name, value)
  }
  return response
}

/** The same answer without its body, as HEAD wants it; a body that was being made is told to stop. */
export function withoutBody(outgoing: Outgoing): Outgoing {
  if (!(outgoing instanceof Response)) {
    const { status, headers, body } = outgoing
    // The length that GET would have: Bun and Deno put 0 where nothing is said.
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
  // Of a body that is made while it is sent nobody knows the length. One that is asked before it
  // ends is the only way to keep them from that 0.
  const ends = new ReadableStream<Uint8Array>(
    { pull: (controller) => controller.close() },
    { highWaterMark: 0 },
  )
  return new Response(headers.has('content-length') ? null : ends, { status, headers })
}

function failureBody({ code, message, issues, body }: PlatformError, bodies: BodyStyle): object {
  if (body) return body
  if (bodies.error === 'text' && code !== 'RATE_LIMIT_EXCEEDED') return { error: message }
  return {
    success: false,
    error: issues.length > 0 ? { code, message, issues } : { code, message },
  }
}

/**
 * Response headers that the steps of a request gather; a plain object, as that is the cheapest
 * thing a `Response` takes.
 */
export type HeaderBag = Record<string, string>
