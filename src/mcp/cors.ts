import type { RequestHeaders } from '../kernel/http/message.ts'

const ACCEPTED =
  'Authorization, X-API-Key, Content-Type, Accept, MCP-Protocol-Version, Mcp-Session-Id, Last-Event-ID'
const EXPOSED = 'WWW-Authenticate, Retry-After, X-Request-Id, Allow'

/**
 * What lets the script of a page read an answer (Fetch standard, CORS protocol). The endpoint has
 * let its origin in before.
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

/** What a preflight is told besides. */
export const PREFLIGHT_HEADERS: Readonly<Record<string, string>> = {
  Allow: 'POST',
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': ACCEPTED,
  'Access-Control-Max-Age': '600',
}
