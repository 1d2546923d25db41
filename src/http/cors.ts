import type { HeaderBag } from './header-bag.ts'

/** Which web pages may call the service from a browser; `*` for any. */
export interface CorsOptions {
  readonly origins: '*' | readonly string[]
}

const EXPOSED = 'X-Request-Id, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, Retry-After, Content-Disposition'
const ACCEPTED = 'Authorization, Content-Type, X-API-Key, X-Request-Id'
const PREFLIGHT_SECONDS = '600'

/** Notes the headers that let a page read the answer (Fetch standard, CORS protocol); none for a page of another origin. */
export function addCors(request: Request, cors: CorsOptions | false, headers: HeaderBag): void {
  if (cors === false) return
  if (cors.origins !== '*') headers['Vary'] = 'Origin'
  const origin = request.headers.get('origin')
  if (origin === null || (cors.origins !== '*' && !cors.origins.includes(origin))) return
  headers['Access-Control-Allow-Origin'] = cors.origins === '*' ? '*' : origin
  headers['Access-Control-Expose-Headers'] = EXPOSED
}

/** Notes the further headers of the answer to a preflight; after {@link addCors}. */
export function addPreflight(request: Request, allow: string, headers: HeaderBag): void {
  if (headers['Access-Control-Allow-Origin'] === undefined || !request.headers.has('access-control-request-method')) return
  headers['Access-Control-Allow-Methods'] = allow
  headers['Access-Control-Allow-Headers'] = ACCEPTED
  headers['Access-Control-Max-Age'] = PREFLIGHT_SECONDS
}
