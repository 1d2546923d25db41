import type { RequestId } from '@modelcontextprotocol/sdk/types.js'
import { nextTurn } from '../kernel/pace.ts'
import type { Outgoing } from '../kernel/http/message.ts'
import type { Credential, Refusal, ToolService } from './tool-service.ts'
import type { InFlight } from './in-flight.ts'
import { isObject } from '../kernel/json.ts'
import { PostTransport } from './post-transport.ts'
import type { Message, Messages, ToolRequest } from './read-message.ts'
import type { connectServer } from './sdk-server.ts'
import { ToolCalls } from './tool-calls.ts'

/** What messages are answered with. */
export interface AnswerOptions {
  readonly service: ToolService
  readonly credential: Credential
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /** Which answers the client takes. */
  readonly json: boolean
  readonly stream: boolean
  readonly inFlight: InFlight
  /** For messages that are no plain calls of tools. */
  readonly connect: typeof connectServer | null
  /** Told of failures that the client only sees as an opaque error. */
  readonly onError: (error: unknown) => void
}

/** An answer, and the refusal of the service that it tells of, if it does. */
export interface Answered {
  readonly answer: Outgoing
  readonly refusal: Refusal | null
}

/**
 * Answers the messages of one POST. Everything is made for it alone: sharing server and transport
 * gave one caller's answers to another (CVE-2026-25536). A client that leaves, or cancels a call,
 * ends the waiting for it at once.
 */
export async function answer(
  { messages, isBatch }: Messages,
  { service, credential, signal, json, stream, inFlight, connect, onError }: AnswerOptions,
): Promise<Answered> {
  const post = new AbortController()
  const leave = (): void => post.abort()
  if (signal.aborted) leave()
  else signal.addEventListener('abort', leave, { once: true })
  const transport = new PostTransport({
    ids: messages.flatMap(idOf),
    isBatch,
    json,
    stream,
    onLeave: leave,
    onEnd: () => signal.removeEventListener('abort', leave),
  })
  const calls = new ToolCalls({
    service,
    credential,
    post,
    isBatch,
    stream,
    inFlight,
    transport,
    onError,
  })
  const receive =
    connect &&
    (await connect({ transport, calls, capabilities: service.capabilities ?? {}, onError }))
  let isFirst = true
  for (const message of messages) {
    const { tool, value } = message
    const cancelled = cancelledBy(value)
    // A list of calls is no longer a stretch of work than one: everybody else has a turn between
    // them.
    if (!isFirst) await nextTurn()
    isFirst = false
    if (tool) void run(tool, calls, transport)
    else if (cancelled !== null) inFlight.cancel(credential, cancelled)
    // Notifications and responses of a client concern nobody: no session goes on, and this server
    // asks nothing. The SDK would report those that it does not expect as failures of the server.
    else if (idOf(message).length > 0) receive?.(value)
  }
  return { answer: await transport.outcome, refusal: calls.refusal }
}

async function run(
  { id, call }: ToolRequest,
  calls: ToolCalls,
  transport: PostTransport,
): Promise<void> {
  if (call) return transport.send({ jsonrpc: '2.0', id, result: await calls.call(id, call) })
  const tools = await calls.list()
  await transport.send(
    'code' in tools
      ? { jsonrpc: '2.0', id, error: tools }
      : { jsonrpc: '2.0', id, result: { tools: [...tools] } },
  )
}

/** The id of a request. */
function idOf({ tool, value }: Message): RequestId[] {
  if (tool) return [tool.id]
  if (!isObject(value) || !('method' in value)) return []
  const { id } = value
  return typeof id === 'string' || typeof id === 'number' ? [id] : []
}

/**
 * The call that a notification cancels. It is one of another POST, which the server object of this
 * one knows nothing of; of a call in the same list that would drop the answer, which is waited
 * for.
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
