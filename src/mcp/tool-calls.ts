import type { CallToolResult, RequestId, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { Credential, RateHeaders, Refusal, RpcError, ToolService } from './tool-service.ts'
import { withApp } from './context/mcp-app.ts'
import { stopWith } from './in-flight.ts'
import type { InFlight, CallStop } from './in-flight.ts'
import type { PostTransport } from './post-transport.ts'
import { CallResult } from './call-result.ts'
import { withRunLink } from './run-link.ts'
import { describeRefusal, failed } from './tool-error.ts'
import { withIcons } from './tool-icons.ts'
import type { ToolCall } from './read-message.ts'

/** Options of {@link ToolCalls}. */
export interface ToolCallsOptions {
  readonly service: ToolService
  readonly credential: Credential
  /** Aborts when the client leaves. */
  readonly post: CallStop
  /** True if several calls share the POST; each ends on its own. */
  readonly isBatch: boolean
  /** Whether the client accepts a stream. */
  readonly stream: boolean
  readonly inFlight: InFlight
  /** The protocol version that the client states. `null`: it states none. */
  readonly version: string | null
  /** Whether the client shows pages of MCP Apps. Default: its version may, and it stated nothing. */
  readonly showsApps?: boolean
  readonly transport: Pick<PostTransport, 'send' | 'beat'>
  /** Called with failures that the client sees only as an opaque error. */
  readonly onError: (error: unknown) => void
}

/** Versions of the protocol that added links in results, `_meta` of tools, and their icons. */
const LINKS_SINCE = '2025-06-18'
const META_SINCE = '2025-06-18'
const ICONS_SINCE = '2025-11-25'

const NO_JSON: RpcError = { code: -32_603, message: 'Something went wrong on our side' }
/** Tools whose JSON was already checked, because a service lists the same ones repeatedly. */
const JSON_TOOLS = new WeakSet<Tool>()

/** True for the JSON-RPC error that replaces a list of tools, or the result of a call. */
export function isError(outcome: object): outcome is RpcError {
  return 'code' in outcome && typeof outcome.code === 'number'
}

/**
 * The tool calls of one POST. Nothing is thrown, because the SDK would send an error's message to
 * the client.
 */
export class ToolCalls {
  /** The first refusal of the service. */
  refusal: Refusal | null = null
  /** The rate limit numbers of the latest call. */
  rates: RateHeaders = {}
  /** True once the service has been asked, which checks the credential and counts the request. */
  hasAsked = false
  readonly #options: ToolCallsOptions

  constructor(options: ToolCallsOptions) {
    this.#options = options
  }

  /** Lists the tools. An error is not the same as an empty list. */
  async list(): Promise<readonly Tool[] | RpcError> {
    this.hasAsked = true
    const {
      service,
      credential,
      post,
      version,
      showsApps = knows(version, META_SINCE),
      onError,
    } = this.#options
    const { signal } = post
    const listed = await settled(() => service.list({ credential, signal }), post, onError)
    if (listed === 'abandoned' || listed === 'failed')
      return { code: -32_603, message: 'The service could not be reached. Try again later.' }
    const { refusal, tools, rates = {} } = listed
    this.rates = rates
    this.refusal ??= refusal
    if (refusal) return { code: -32_000, message: describeRefusal(refusal) }
    if (!tools.every((tool) => JSON_TOOLS.has(tool) || isJson(tool, onError))) return NO_JSON
    for (const tool of tools) JSON_TOOLS.add(tool)
    const { offeredTools } = await import('./extended/offered-tools.ts')
    // The texts of tools name no tool that the key may not use.
    const offered = offeredTools(tools.map(({ name }) => name)).tools(tools)
    // The page is a resource, so it exists only if the service has `ask`.
    const shown = service.ask && showsApps ? withApp(offered) : offered
    return knows(version, ICONS_SINCE) ? withIcons(shown) : shown
  }

  async call(
    id: RequestId,
    { name, args, progressToken }: ToolCall,
  ): Promise<CallToolResult | RpcError> {
    this.hasAsked = true
    const { service, credential, inFlight, transport, stream, post, isBatch, version, onError } =
      this.#options
    const waiting = { credential, id, stop: isBatch ? stopWith(post.signal) : post }
    const { signal } = waiting.stop
    inFlight.add(waiting)
    try {
      const called = await settled(
        () =>
          service.call(
            {
              credential,
              signal,
              progressToken: stream ? progressToken : null,
              notify: (notification) =>
                void transport.send({ jsonrpc: '2.0', ...notification }).catch(onError),
              beat: () => transport.beat(),
            },
            name,
            args,
          ),
        waiting.stop,
        onError,
      )
      if (called === 'abandoned')
        return failed(
          'This call was cancelled. A run that it started continues, unless ifAbandoned was "cancel".',
        )
      if (called === 'failed') return failed('The service could not be reached. Try again later.')
      this.refusal ??= called.refusal
      this.rates = called.rates ?? {}
      if (called.error) return isJson(called.error, onError) ? called.error : NO_JSON
      const hasJson = called.result instanceof CallResult || isJson(called.result, onError)
      if (!hasJson) return NO_JSON
      // The link names a resource, which exists only if the service has `ask`.
      return service.ask && knows(version, LINKS_SINCE) ? withRunLink(called.result) : called.result
    } finally {
      inFlight.remove(waiting)
    }
  }
}

/** True if a client of this version knows a feature that a later version added. */
function knows(version: string | null, since: string): boolean {
  return version !== null && version >= since
}

/**
 * False for a value without JSON, such as a `bigint` of a host's own service. The SDKs would send
 * nothing for it, or the text of the error.
 */
function isJson(value: unknown, onError: (error: unknown) => void): boolean {
  try {
    if (JSON.stringify(value) === undefined)
      throw new TypeError('A result of the service has no JSON')
    return true
  } catch (error) {
    onError(error)
    return false
  }
}

/** The result of a call of the service. Waits until the call is stopped. */
function settled<T>(
  ask: () => Promise<T>,
  stop: CallStop,
  onError: (error: unknown) => void,
): Promise<T | 'abandoned' | 'failed'> {
  if (stop.signal.aborted) return Promise.resolve('abandoned')
  return new Promise((resolve, reject) => {
    const abandon = (): void => resolve('abandoned')
    stop.waiting.add(abandon)
    const finish = async (): Promise<void> => {
      try {
        // A service of the host may also throw synchronously.
        resolve(await ask())
      } catch (error) {
        if (!stop.signal.aborted) onError(error)
        resolve('failed')
      } finally {
        stop.waiting.delete(abandon)
      }
    }
    finish().catch(reject)
  })
}
