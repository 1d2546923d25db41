import {
  address,
  baseAddress,
  callback,
  checkOptions,
  either,
  listOf,
  nonEmpty,
  oneOf,
  positive,
  prices,
  required,
  whole,
  withMethods,
} from '../kernel/options.ts'
import { cryptoRandom, systemClock } from '../defaults/system-clock.ts'
import { once } from '../kernel/concurrency.ts'
import { createBaseUrl } from '../kernel/http/base-url.ts'
import { createIds } from '../kernel/id.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { HttpContext } from '../kernel/http/message.ts'
import type { EndpointOptions } from './endpoint.ts'
import { describedPath, metadataReply } from './resource-metadata.ts'
import type { ServiceRequest } from './api-tools.ts'
import { TOOL_NAMES } from './tool-names.ts'
import type { ToolChoice } from './tool-names.ts'
import type { ToolService } from './tool-service.ts'

/** Options of {@link createMcpHandler}. */
export interface McpHandlerOptions extends EndpointOptions {
  /** URL of the API, without `/api/v1`: `https://api.example.com`. */
  readonly baseUrl: string
  /**
   * The URL at which clients reach the API, if they cannot use `baseUrl`. Links to files begin with
   * it. Default: links stay as the API makes them.
   */
  readonly publicUrl?: string | URL
  /** The function that reaches it: the runtime's `fetch`. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * The longest time of a call in seconds, even if the service hangs. Default 120. Tools wait for
   * at most 50.
   */
  readonly timeoutSeconds?: number
  /**
   * The tools that agents may use: `'extended'` for all, or names. Default: the six
   * standard ones. A client takes fewer of them with `?tools=name,name` in its URL.
   */
  readonly tools?: ToolChoice
}

/**
 * Answers one request to the MCP endpoint, at any path; never rejects. With `authorizationServers`,
 * it also answers requests for the resource metadata.
 */
export type McpHandler = (request: Request, context?: HttpContext) => Promise<Response>

/**
 * Creates the MCP endpoint apart from the platform: Streamable HTTP without sessions, with six
 * tools or more. Each call goes to the API at `baseUrl` with the caller's own credential, so this
 * handler can be deployed anywhere. When a client disconnects or cancels, the call at the API ends
 * too.
 *
 * @example
 *   const mcp = createMcpHandler({
 *     baseUrl: 'https://api.example.com',
 *     fetch,
 *     hosts: ['mcp.example.com'],
 *   })
 *   const response = await mcp(new Request('https://mcp.example.com/mcp'))
 *   console.log(response.status) // 405: this server begins no streams
 */
export function createMcpHandler(options: McpHandlerOptions): McpHandler {
  checkOptions<McpHandlerOptions>('createMcpHandler', options, {
    baseUrl: required(address),
    publicUrl: baseAddress,
    fetch: required(callback),
    timeoutSeconds: positive,
    tools: either(oneOf('extended'), listOf(oneOf(...TOOL_NAMES))),
    clock: withMethods('a clock', 'now', 'sleep'),
    maxBodyBytes: whole(1),
    confirmAbove: whole(0),
    prices: prices(),
    onError: callback,
    hosts: listOf(nonEmpty),
    origins: listOf(nonEmpty),
    authorizationServers: listOf(nonEmpty),
    resource: baseAddress,
  })
  const { baseUrl, publicUrl, timeoutSeconds = 120, clock = systemClock } = options
  const { authorizationServers = [] } = options
  // Loaded with the first request. Otherwise bundlers that split a package by its files would load
  // it for platforms without agents too.
  const loaded = once(async () => {
    const [{ createEndpoint, withRequestId }, { createApiTools }, { withinTime }, { choose }] =
      await Promise.all([
        import('./endpoint.ts'),
        import('./api-tools.ts'),
        import('./within-time.ts'),
        import('./choose-tools.ts'),
      ])
    const serviceOf = async (requestId: string, requestUrl: string): Promise<ToolService> => {
      const send = ({ url, headers, body, json, ...init }: ServiceRequest): Promise<Response> =>
        options.fetch(
          new Request(url, {
            ...init,
            body: json ? JSON.stringify(json) : body,
            headers: { ...headers, 'x-request-id': requestId },
          }),
        )
      const standard = createApiTools({
        baseUrl,
        ...(publicUrl !== undefined && { publicUrl }),
        send,
      })
      const service = await choose(standard, {
        choice: options.tools,
        url: requestUrl,
        baseUrl: baseUrl.replace(/(?<!\/)\/+$/, ''),
        send,
      })
      return withinTime(service, clock, timeoutSeconds * 1_000)
    }
    return { endpoint: createEndpoint(options), serviceOf, withRequestId }
  })
  const ids = createIds({ now: () => clock.now(), random: cryptoRandom })
  const ownBaseOf = createBaseUrl({})
  return async (request, context) => {
    const { method, url } = request
    const resource = (path: string): string =>
      options.resource ?? ownBaseOf(url, context?.forwarded) + path
    const described =
      method === 'GET' && authorizationServers.length > 0 ? describedPath(url) : null
    const requestId = ids('req')
    if (described !== null) {
      const document = metadataReply(resource(described), authorizationServers)
      return responseOf({
        ...document,
        headers: { ...document.headers, 'X-Request-Id': requestId },
      })
    }
    const { endpoint, serviceOf, withRequestId } = await loaded()
    const answer = await endpoint.reply(
      request,
      () => serviceOf(requestId, url),
      () => resource(new URL(url).pathname),
    )
    return responseOf(withRequestId(answer, requestId))
  }
}
