import { createBaseUrl, mountPath } from '../kernel/http/base-url.ts'
import type { BaseUrlOptions } from '../kernel/http/base-url.ts'
import type {
  HttpContext,
  Incoming,
  LazyRequest,
  RequestHeaders,
  Outgoing,
} from '../kernel/http/message.ts'
import type { Ids } from '../kernel/id.ts'
import type { PriceTable } from '../kernel/price.ts'
import { once } from '../kernel/concurrency.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { OriginRules } from '../mcp/origin.ts'
import { metadataPaths, metadataReply } from '../mcp/resource-metadata.ts'
import type { AuthorizationOptions } from '../mcp/resource-metadata.ts'
import type { ServiceRequest } from '../mcp/api-tools.ts'
import type { ToolChoice } from '../mcp/tool-names.ts'
import type { ToolService } from '../mcp/tool-service.ts'
import { addressOf } from '../http/address.ts'
import type { HttpHandler } from '../http/handler.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { Telemetry } from '../ports/telemetry.ts'

/** Options of the MCP endpoint. */
export type McpOptions = OriginRules &
  AuthorizationOptions & {
    /**
     * The tools that agents may use: `'extended'` for all, or names. Default: the six standard
     * ones. A client takes fewer of them with `?tools=name,name` in its URL.
     */
    readonly tools?: ToolChoice
    /**
     * A call that may cost more credits than this is confirmed by the user first, if the client can
     * ask (protocol 2026-07-28). Default: no call is.
     */
    readonly confirmAbove?: number
  }

/** Dependencies of {@link createMcpSurface}. */
export interface McpSurfaceOptions extends BaseUrlOptions {
  /** `false`: there is no endpoint. */
  readonly mcp: McpOptions | false
  readonly ids: Ids
  readonly logger: Logger
  /** Traces the calls. Absent: they are not traced. */
  readonly tracing?: { readonly telemetry: Telemetry; readonly clock: Clock }
  readonly maxBodyBytes?: number
  /** Credits that pages cost. Default: the default prices of a platform. */
  readonly prices?: PriceTable
  /** Default: the system's. */
  readonly clock?: Clock
  /**
   * Takes a place for a stream of an account, and returns the function that frees it. `end` is
   * called when the platform closes. Absent: the streams of each credential are counted.
   */
  readonly enterStream?: (account: string, end: () => void) => Promise<() => void>
  /** Wraps the tools of the API. Default: they are used as they are. */
  readonly through?: (service: ToolService) => ToolService
}

/**
 * Creates the MCP endpoint at `/mcp`. Its calls go through `http` in this process. Requests for
 * other paths go to `otherwise`.
 */
export function createMcpSurface(
  http: HttpHandler,
  otherwise: HttpHandler,
  options: McpSurfaceOptions,
): HttpHandler {
  const { mcp, ids, logger, tracing, maxBodyBytes, clock, prices, enterStream } = options
  const { through = (service: ToolService) => service } = options
  if (mcp === false) return otherwise
  const baseUrlOf = createBaseUrl(options)
  const paths = new Set(['/mcp', `${mountPath(options.basePath)}/mcp`])
  const { authorizationServers = [] } = mcp
  const { publicUrl } = options
  const fixed = mcp.resource ?? (publicUrl !== undefined ? `${baseUrlOf('')}/mcp` : null)
  const resourceOf = (request: Incoming, context: HttpContext | undefined): string =>
    fixed ?? `${baseUrlOf(request.url, context?.forwarded)}/mcp`
  // Clients look below the path under which they reach the endpoint, which may differ behind a
  // proxy.
  const described = fixed === null ? paths : [...paths, new URL(fixed).pathname]
  const metadata = new Set(
    authorizationServers.length === 0 ? [] : [...described].flatMap((path) => metadataPaths(path)),
  )
  // Applications without agents do not load this.
  const loaded = once(async () => {
    const [{ createEndpoint, withRequestId }, { createApiTools }, { choose }] = await Promise.all([
      import('../mcp/endpoint.ts'),
      import('../mcp/api-tools.ts'),
      import('../mcp/choose-tools.ts'),
    ])
    return {
      endpoint: createEndpoint({
        ...mcp,
        maxBodyBytes,
        clock,
        prices,
        onError: (error) => logger.error('A call of the MCP endpoint failed', { error }),
      }),
      withRequestId,
      createApiTools,
      choose,
    }
  })

  const answer = async (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    const { path } = addressOf(request.url)
    const requestId = ids('req')
    const { endpoint, withRequestId, createApiTools, choose } = await loaded()
    const origin = originOf(request.url)
    const baseUrl = origin + path.slice(0, -'/mcp'.length)
    let account = ''
    let holdsStream = false
    const seen: HttpContext = {
      ...context,
      onCaller(caller) {
        account = caller.account
        context?.onCaller?.(caller)
      },
    }
    const send = (call: ServiceRequest): Promise<Outgoing> =>
      http.reply(new LocalRequest(call, { requestId, holdsStream }), seen)
    const standard: ToolService = {
      ...createApiTools({ baseUrl, send }),
      ...(enterStream && {
        async enterStream(end) {
          const leave = await enterStream(account, end)
          holdsStream = true
          return leave
        },
      }),
    }
    const service = async (): Promise<ToolService> =>
      through(await choose(standard, { choice: mcp.tools, url: request.url, baseUrl, send }))
    const reply = await endpoint.reply(request, service, () => resourceOf(request, context))
    return withRequestId(reply, requestId)
  }
  const traced =
    tracing &&
    once(async () =>
      (await import('../http/traced.ts')).traceRequests(answer, {
        ...tracing,
        routeOf: () => '/mcp',
      }),
    )
  const ask: typeof answer = traced
    ? async (request, context) => (await traced())(request, context)
    : answer
  // Not async: another promise would be the largest cost of most requests here.
  const reply = (request: Incoming, context?: HttpContext): Promise<Outgoing> => {
    // Most requests are for other paths. This finds them without parsing the URL.
    const { url } = request
    if (!url.includes('/mcp') && !url.includes('/.well-known/'))
      return otherwise.reply(request, context)
    const { path } = addressOf(url)
    // Some clients end the path with a slash.
    if (paths.has(path.replace(/\/$/, ''))) return ask(request, context)
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!metadata.has(path) || !isRead) return otherwise.reply(request, context)
    const document = metadataReply(resourceOf(request, context), authorizationServers)
    return Promise.resolve(request.method === 'HEAD' ? { ...document, body: null } : document)
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
  readonly #text: string | null
  /** Absent for a body that is a text. */
  readonly parsedBody: object | null
  readonly readsData: boolean
  readonly holdsStream: boolean
  #request: Request | null = null

  constructor(
    { method, url, headers, body, json, signal }: ServiceRequest,
    { requestId, holdsStream }: { readonly requestId: string; readonly holdsStream: boolean },
  ) {
    this.method = method
    this.url = url
    this.signal = signal
    this.#text = body
    this.parsedBody = json ?? null
    this.readsData = json !== undefined
    this.holdsStream = holdsStream
    const all: Readonly<Record<string, string>> = { ...headers, 'x-request-id': requestId }
    this.#all = all
    this.headers = {
      get: (name) => all[name] ?? all[name.toLowerCase()] ?? null,
      has: (name) => name.toLowerCase() in all,
    }
  }

  get #body(): string | null {
    return this.parsedBody ? JSON.stringify(this.parsedBody) : this.#text
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
