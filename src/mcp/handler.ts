import {
  address,
  callback,
  checkOptions,
  listOf,
  nonEmpty,
  positive,
  required,
  whole,
  withMethods,
} from '../kernel/options.ts'
import { systemClock } from '../defaults/system-clock.ts'
import { once } from '../kernel/concurrency.ts'
import { responseOf } from '../kernel/http/message.ts'
import type { Clock } from '../ports/clock.ts'
import type { EndpointOptions } from './endpoint.ts'
import { metadataReply, resourceOf } from './resource-metadata.ts'

/** Options of {@link createMcpHandler}. */
export interface McpHandlerOptions extends EndpointOptions {
  /** URL of the Task Service, without `/api/v1`: `https://api.example.com`. */
  readonly baseUrl: string
  /** The function that reaches it: the runtime's `fetch`. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * The longest time of a call in seconds, even if the service hangs. Default 120. Tools wait for
   * at most 50.
   */
  readonly timeoutSeconds?: number
  readonly clock?: Clock
}

/**
 * Answers one request to the MCP endpoint, whatever its path; never rejects. With
 * `authorizationServers`, also those for its resource metadata.
 */
export type McpHandler = (request: Request) => Promise<Response>

/**
 * Creates the MCP endpoint apart from the platform: Streamable HTTP without sessions, six tools.
 * Each call goes to the Task Service at `baseUrl` with the caller's own credential, so this handler
 * can be deployed anywhere. A disconnect or a cancellation ends the call at the service too.
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
    fetch: required(callback),
    timeoutSeconds: positive,
    clock: withMethods('a clock', 'now', 'sleep'),
    maxBodyBytes: whole(1),
    onError: callback,
    hosts: listOf(nonEmpty),
    origins: listOf(nonEmpty),
    authorizationServers: listOf(nonEmpty),
    resource: nonEmpty,
  })
  const { baseUrl, timeoutSeconds = 120, clock = systemClock } = options
  const { authorizationServers = [] } = options
  // Loaded with the first request. Otherwise bundlers that split a package by its files would load
  // it for platforms without agents too.
  const loaded = once(async () => {
    const [{ createEndpoint }, { createTaskService }, { withinTime }] = await Promise.all([
      import('./endpoint.ts'),
      import('./task-service.ts'),
      import('./within-time.ts'),
    ])
    const remote = createTaskService({
      baseUrl,
      send: ({ url, ...init }) => options.fetch(new Request(url, init)),
    })
    return {
      endpoint: createEndpoint(options),
      service: withinTime(remote, clock, timeoutSeconds * 1_000),
    }
  })
  return async (request) => {
    const described =
      request.method === 'GET' && authorizationServers.length > 0 ? resourceOf(request.url) : null
    if (described !== null)
      return responseOf(metadataReply(options.resource ?? described, authorizationServers))
    const { endpoint, service } = await loaded()
    return responseOf(await endpoint.reply(request, service))
  }
}
