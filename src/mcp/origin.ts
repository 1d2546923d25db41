import type { Incoming, RequestHeaders } from '../kernel/http/message.ts'

/** The hosts and origins that may call the endpoint. */
export interface OriginRules {
  /**
   * Values of `Host`, such as `mcp.example.com` or `localhost:8080`. Default: the host of the
   * request's own URL.
   */
  readonly hosts?: readonly string[]
  /**
   * Origins of pages that may call it, such as `https://app.example.com`. The endpoint's own origin
   * is allowed if its host is listed, or is an address that no name server can change.
   */
  readonly origins?: readonly string[]
}

/** Names and addresses that a DNS server cannot change. */
const FIXED_HOST = /^(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]+\])(?::\d+)?$/i
const AUTHORITY = /^[a-z]+:\/\/([^/?#]*)/

/**
 * Returns why a request is refused before authentication: its `Host` or `Origin` is not one of the
 * endpoint's own (DNS rebinding: CVE-2025-66414). `null`: it is accepted. An attacker's page that
 * reaches this host under the attacker's name has that name in both headers. So a page of the same
 * origin is trusted only if the name is known.
 */
export function refuseOrigin(
  { url, headers }: Pick<Incoming, 'url' | 'headers'>,
  { hosts, origins = [] }: OriginRules,
): string | null {
  const named = AUTHORITY.exec(url)?.[1] ?? ''
  const host = headers.get('host') ?? named
  const isKnown = hosts?.some((name) => name.toLowerCase() === host.toLowerCase())
  if (isKnown === false || (hosts === undefined && host !== named && !sameHost(host, url)))
    return 'This endpoint does not serve the Host of this request'
  const origin = headers.get('origin')
  if (origin === null || origins.includes(origin)) return null
  const parsed = URL.parse(origin)
  const isOwn = parsed !== null && parsed.host === URL.parse(`${parsed.protocol}//${host}`)?.host
  return isOwn && (isKnown === true || FIXED_HOST.test(host))
    ? null
    : 'Pages of this Origin may not call this endpoint'
}

/** True if both name the same host, in any spelling. */
function sameHost(host: string, url: string): boolean {
  const own = new URL(url)
  return URL.parse(`${own.protocol}//${host}`)?.host === own.host
}

const ACCEPTED =
  'Authorization, X-API-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, ' +
  'Mcp-Session-Id, Last-Event-ID'
const EXPOSED =
  'WWW-Authenticate, Retry-After, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id, Allow'

/**
 * Headers that let a page's script read an answer (Fetch standard, CORS protocol). The endpoint has
 * already accepted the page's origin.
 */
export function corsHeaders(headers: RequestHeaders): Readonly<Record<string, string>> {
  const origin = headers.get('origin')
  return origin === null
    ? {}
    : {
        'Access-Control-Allow-Origin': origin,
        'Access-Control-Expose-Headers': EXPOSED,
        Vary: 'Origin',
      }
}

/** Further headers of the answer to a preflight. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  Allow: 'POST',
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': ACCEPTED,
  'Access-Control-Max-Age': '600',
}
