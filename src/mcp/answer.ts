import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { nextTurn } from '../kernel/pace.ts'
import type { Incoming, Outgoing } from '../kernel/http/message.ts'
import type { Credential, RateHeaders, Refusal, ToolCaller, ToolService } from './tool-service.ts'
import type { ReadService } from './context/resources.ts'
import { CallStop } from './in-flight.ts'
import type { InFlight } from './in-flight.ts'
import { isObject } from '../kernel/json.ts'
import { PostTransport } from './post-transport.ts'
import type { Message, Messages, ToolRequest } from './read-message.ts'
import type { connectServer } from './sdk-server.ts'
import { isError, ToolCalls } from './tool-calls.ts'

/** An answer, and the service's refusal in it, if there is one. */
export interface Answered {
  readonly answer: Outgoing
  readonly refusal: Refusal | null
  readonly rates: RateHeaders
}

/**
 * Answers the messages of one POST. Server and transport are created for each POST: sharing them
 * gave one caller's answers to another (CVE-2026-25536). If the client disconnects or cancels a
 * call, the waiting ends at once.
 */
export async function answer(
  { messages, isBatch }: Messages,
  {
    service,
    credential,
    request,
    json,
    stream,
    inFlight,
    version,
    connect,
    onError,
  }: {
    readonly service: ToolService
    readonly credential: Credential
    readonly request: Incoming
    /** Whether the client accepts JSON, and a stream. */
    readonly json: boolean
    readonly stream: boolean
    readonly inFlight: InFlight
    /** The value of `MCP-Protocol-Version`. Versions before 2025-06-18 have no such header. */
    readonly version: string | null
    /** Connects the SDK's server, for messages other than plain tool calls. */
    readonly connect: typeof connectServer | null
    /** Called with failures that the client sees only as an opaque error. */
    readonly onError: (error: unknown) => void
  },
): Promise<Answered> {
  const post = new CallStop()
  const leave = (): void => post.abort()
  const forget = whenLeft(request, leave)
  const transport = new PostTransport({
    ids: messages.flatMap((message) => idOf(message) ?? []),
    isBatch,
    json,
    stream,
    onLeave: leave,
    onEnd: forget,
  })
  const calls = new ToolCalls({
    service,
    credential,
    post,
    isBatch,
    stream,
    inFlight,
    version,
    transport,
    onError,
  })
  const receive =
    connect &&
    (await connect({
      transport,
      calls,
      capabilities: service.capabilities ?? {},
      read: readerOf(service, { credential, signal: post.signal }),
      opening: messages,
      onError,
    }))
  let isFirst = true
  for (const message of messages) {
    const { tool, value } = message
    const cancelled = cancelledBy(value)
    // The event loop gets a turn between the calls of a list, so a list does not block longer than
    // one call.
    if (!isFirst) await nextTurn()
    isFirst = false
    if (tool)
      run(tool, calls, transport).catch((error: unknown) => {
        transport.fail()
        onError(error)
      })
    else if (cancelled !== null) inFlight.cancel(credential, cancelled)
    // Notifications and responses of a client are ignored: there is no session, and this server
    // sends no requests. The SDK would report unexpected ones as failures of the server.
    else if (idOf(message) !== null) receive?.(value)
  }
  return { answer: await transport.outcome, refusal: calls.refusal, rates: calls.rates }
}

/** Calls `leave` when the client leaves, unless the returned function was called before. */
export function whenLeft(request: Incoming, leave: () => void): () => void {
  if ('whenLeft' in request && request.whenLeft) {
    request.whenLeft(leave)
    return () => request.whenLeft?.(() => {})
  }
  const { signal } = request
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  return () => signal.removeEventListener('abort', leave)
}

async function run(
  { id, call }: ToolRequest,
  calls: ToolCalls,
  transport: PostTransport,
): Promise<void> {
  if (call) {
    const called = await calls.call(id, call)
    return transport.send(
      isError(called)
        ? { jsonrpc: '2.0', id, error: called }
        : { jsonrpc: '2.0', id, result: called },
    )
  }
  const tools = await calls.list()
  await transport.send(
    isError(tools)
      ? { jsonrpc: '2.0', id, error: tools }
      : { jsonrpc: '2.0', id, result: { tools: [...tools] } },
  )
}

/** Reads the service as a caller. `undefined`: the service has no such reads. */
export function readerOf({ ask }: ToolService, caller: ToolCaller): ReadService | undefined {
  return ask && ((path, accept) => ask(caller, { method: 'GET', path, accept }))
}

/** The id of a request; `null`: the message is not a request. */
export function idOf({ tool, value }: Message): RequestId | null {
  if (tool) return tool.id
  if (!isObject(value) || !('method' in value)) return null
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/**
 * Returns the call that a notification cancels. It belongs to another POST, which this POST's
 * server object does not know. A call in the same list is not cancelled: its answer is expected.
 */
function cancelledBy(value: unknown): RequestId | null {
  if (
    !isObject(value) ||
    value['method'] !== 'notifications/cancelled' ||
    !isObject(value['params'])
  )
    return null
  const { requestId } = value['params']
  return typeof requestId === 'string' || typeof requestId === 'number' ? requestId : null
}
