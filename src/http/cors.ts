import type { Incoming } from '../kernel/http/message.ts'
import type { HeaderBag } from './respond.ts'

/** Origins of the web pages that may call the service from a browser; `*` for any. */
export interface CorsOptions {
  readonly origins: '*' | readonly string[]
  /**
   * Whether browsers may send cookies, for an application whose own authenticator reads them. Not
   * with `*`. Default `false`.
   */
  readonly credentials?: boolean
  /** How long a browser may cache the answer to a preflight. Default 600. */
  readonly maxAgeSeconds?: number
}

/** Adds the headers of the CORS protocol (Fetch standard) that an answer needs. */
export interface Cors {
  /** Adds the headers that let a page read the answer; none for a page of another origin. */
  add(request: Incoming, headers: HeaderBag): void
  /** Adds the further headers of the answer to a preflight, after {@link Cors.add}. */
  addPreflight(request: Incoming, allow: string, headers: HeaderBag): void
}

const EXPOSED = [
  'X-Request-Id',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'Content-Disposition',
  'Content-Range',
  'Idempotency-Replayed',
  'WWW-Authenticate',
  'Allow',
].join(', ')
const ACCEPTED = [
  'Authorization',
  'Content-Type',
  'X-API-Key',
  'X-Request-Id',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Range',
  'If-Range',
  'Last-Event-ID',
].join(', ')
const PREFLIGHT_VARY = 'Access-Control-Request-Method, Access-Control-Request-Headers'

/**
 * @throws {TypeError} for cookies from any origin, and for an origin that no browser would ever
 *   send
 */
export function createCors(options: CorsOptions | false): Cors {
  if (options === false) return { add() {}, addPreflight() {} }
  const { origins, credentials = false, maxAgeSeconds = 600 } = options
  if (origins === '*' && credentials)
    throw new TypeError('cors: credentials need a list of origins')
  for (const origin of origins === '*' ? [] : origins) checkOrigin(origin)
  const allowed = origins === '*' ? null : new Set(origins)
  return {
    add(request, headers) {
      if (allowed) headers['Vary'] = 'Origin'
      const origin = request.headers.get('origin')
      if (origin === null || (allowed && !allowed.has(origin))) return
      headers['Access-Control-Allow-Origin'] = allowed ? origin : '*'
      headers['Access-Control-Expose-Headers'] = EXPOSED
      if (credentials) headers['Access-Control-Allow-Credentials'] = 'true'
    },
    addPreflight(request, allow, headers) {
      headers['Vary'] = allowed ? `Origin, ${PREFLIGHT_VARY}` : PREFLIGHT_VARY
      if (
        headers['Access-Control-Allow-Origin'] === undefined ||
        !request.headers.has('access-control-request-method')
      )
        return
      headers['Access-Control-Allow-Methods'] = allow
      headers['Access-Control-Allow-Headers'] = ACCEPTED
      headers['Access-Control-Max-Age'] = String(maxAgeSeconds)
    },
  }
}

function checkOrigin(origin: string): void {
  const isWeb = /^https?:/i.test(origin)
  // `URL` does not know origins of extensions and apps, such as chrome-extension://id.
  const isWritten = isWeb
    ? URL.parse(origin)?.origin === origin && !origin.includes('*')
    : /^[a-z][a-z\d+.-]*:\/\/[^\s/?#*@]+$/.test(origin)
  if (!isWritten)
    throw new TypeError(
      `cors: ${JSON.stringify(origin)} is not an origin; write it like https://app.example`,
    )
}
