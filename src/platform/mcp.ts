import type { Incoming, LazyRequest, RequestHeaders, Outgoing } from '../kernel/http/message.ts'
import type { Ids } from '../kernel/id.ts'
import { once } from '../kernel/concurrency.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { OriginRules } from '../mcp/origin.ts'
import { metadataPaths, metadataReply } from '../mcp/resource-metadata.ts'
import type { AuthorizationOptions } from '../mcp/resource-metadata.ts'
import type { ServiceRequest } from '../mcp/task-service.ts'
import type { ToolService } from '../mcp/tool-service.ts'
import { addressOf } from '../http/address.ts'
import type { HttpHandler, HttpContext } from '../http/handler.ts'
import type { Logger } from '../ports/logger.ts'

/** Options of the MCP endpoint. */
export type McpOptions = OriginRules & AuthorizationOptions

/** Dependencies of {@link createMcpSurface}. */
export interface McpSurfaceOptions {
  /** `false`: there is no endpoint. */
  readonly mcp: McpOptions | false
  readonly basePath: string
  readonly ids: Ids
  readonly logger: Logger
  readonly maxBodyBytes?: number
  /** Wraps the Task Service. Default: it is used as it is. */
  readonly through?: (service: ToolService) => ToolService
}

/**
 * Creates the MCP endpoint at `/mcp`. Its calls go through `http` in this process. Requests for
 * other paths go to `otherwise`.
 */
export function createMcpSurface(
  http: HttpHandler,
  otherwise: HttpHandler,
  { mcp, basePath, ids, logger, maxBodyBytes, through = (service) => service }: McpSurfaceOptions,
): HttpHandler {
  if (mcp === false) return otherwise
  const prefix = basePath.replace(/^\/+|(?<!\/)\/+$/g, '')
  const paths = new Set(['/mcp', ...(prefix === '' ? [] : [`/${prefix}/mcp`])])
  const { authorizationServers = [] } = mcp
  const metadata = new Map(
    authorizationServers.length === 0
      ? []
      : [...paths].flatMap((path) => metadataPaths(path).map((at) => [at, path])),
  )
  // Applications without agents do not load this.
  const loaded = once(async () => {
    const [{ createEndpoint, withHeaders }, { createTaskService }] = await Promise.all([
      import('../mcp/endpoint.ts'),
      import('../mcp/task-service.ts'),
    ])
    return {
      endpoint: createEndpoint({
        ...mcp,
        ...(maxBodyBytes !== undefined && { maxBodyBytes }),
        onError: (error) => logger.error('A call of the MCP endpoint failed', { error }),
      }),
      withHeaders,
      createTaskService,
    }
  })

  const ask = async (
    request: Incoming,
    path: string,
    context: HttpContext | undefined,
  ): Promise<Outgoing> => {
    const requestId = ids('req')
    const { endpoint, withHeaders, createTaskService } = await loaded()
    const origin = originOf(request.url)
    const baseUrl = origin + path.slice(0, -'/mcp'.length)
    const service = createTaskService({
      baseUrl,
      send: (call) => http.reply(new LocalRequest(call, requestId), context),
    })
    return withHeaders(await endpoint.reply(request, through(service)), {
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
  }
  // Not async: another promise would be the largest cost of most requests here.
  const reply = (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    // Most requests are for other paths. This finds them without parsing the URL.
    const path =
      request.url.includes('/mcp') || request.url.includes('/.well-known/')
        ? addressOf(request.url).path
        : null
    if (path !== null && paths.has(path)) return ask(request, path, context)
    const described = path === null ? undefined : metadata.get(path)
    if (described === undefined) return otherwise.reply(request, context)
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return otherwise.reply(request, context)
    const given = metadataReply(
      mcp.resource ?? originOf(request.url) + described,
      authorizationServers,
    )
    return Promise.resolve(request.method === 'HEAD' ? { ...given, body: null } : given)
  }
  return Object.assign(
    async (request: Request, context?: HttpContext) => responseOf(await reply(request, context)),
    { reply },
  )
}

/** A call to the service in this process, without a `Request` object. */
class LocalRequest implements LazyRequest {
  readonly method: string
  readonly url: string
  readonly signal: AbortSignal
  readonly headers: RequestHeaders
  readonly #all: Readonly<Record<string, string>>
  readonly #body: string | null
  #request: Request | null = null

  constructor({ method, url, headers, body, signal }: ServiceRequest, requestId: string) {
    this.method = method
    this.url = url
    this.signal = signal
    this.#body = body
    const all: Readonly<Record<string, string>> = { ...headers, 'x-request-id': requestId }
    this.#all = all
    this.headers = {
      get: (name) => all[name] ?? all[name.toLowerCase()] ?? null,
      has: (name) => name.toLowerCase() in all,
    }
  }

  get body(): ReadableStream<Uint8Array> | null {
    return new Response(this.#body).body
  }

  /** The endpoint has already limited the size of the message. */
  async readAll(): Promise<string> {
    return this.#body ?? ''
  }

  /** For authenticators that need a `Request`. */
  toRequest(): Request {
    const { method, url, signal } = this
    return (this.#request ??= new Request(url, {
      method,
      headers: this.#all,
      body: this.#body,
      signal,
    }))
  }
}

/** Returns the origin of a normalised URL. Parsing the URL would cost more. */
function originOf(url: string): string {
  return url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
}
