import { requestOf } from './kernel/incoming.ts'
import type { Ids } from './kernel/id.ts'
import type { OriginRules } from './mcp/guard-origin.ts'
import { createMcpHandler } from './mcp/handler.ts'
import type { Http, HttpContext } from './http/handler.ts'
import type { Logger } from './ports/logger.ts'

/** How the MCP endpoint is served. */
export type McpOptions = OriginRules

/** What {@link mountMcp} works with. */
export interface MountMcpOptions {
  /** `false`: there is no endpoint. */
  readonly mcp: McpOptions | false
  readonly basePath: string
  readonly ids: Ids
  readonly logger: Logger
  readonly maxBodyBytes?: number
}

/** The HTTP surface with the MCP endpoint beside it, at `/mcp`: its calls go through that same surface, in this process. */
export function mountMcp(http: Http, { mcp, basePath, ids, logger, maxBodyBytes }: MountMcpOptions): Http {
  if (mcp === false) return http
  const prefix = basePath.replace(/^\/+|\/+$/g, '')
  const paths = new Set(['/mcp', ...(prefix === '' ? [] : [`/${prefix}/mcp`])])
  const answer = async (request: Request, path: string, context: HttpContext | undefined): Promise<Response> => {
    const requestId = ids('req')
    const handle = createMcpHandler({
      baseUrl: new URL(request.url).origin + path.slice(0, -'/mcp'.length),
      fetch: (call) => http(call, context),
      onError: (error) => logger.error('A call of the MCP endpoint failed', { requestId, error }),
      ...mcp, ...(maxBodyBytes !== undefined && { maxBodyBytes }),
    })
    const response = await handle(request)
    const headers = new Headers(response.headers)
    headers.set('X-Request-Id', requestId)
    headers.set('Cache-Control', 'no-store')
    headers.set('X-Content-Type-Options', 'nosniff')
    return new Response(response.body, { status: response.status, headers })
  }
  const pathOf = (url: string): string | null => {
    // Most requests are none of this endpoint's: they are told apart without taking their URL apart.
    if (!url.includes('/mcp')) return null
    const { pathname } = new URL(url)
    return paths.has(pathname) ? pathname : null
  }
  return Object.assign(
    async (request: Request, context?: HttpContext): Promise<Response> => {
      const path = pathOf(request.url)
      return path === null ? http(request, context) : answer(request, path, context)
    },
    {
      async reply(...[incoming, context]: Parameters<Http['reply']>) {
        const path = pathOf(incoming.url)
        return path === null ? http.reply(incoming, context) : answer(requestOf(incoming), path, context)
      },
    },
  )
}
