import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { EVENT_STREAM_HEADERS } from '../kernel/http/event-stream.ts'
import { EventWriter } from '../kernel/http/event-writer.ts'
import type { Outgoing } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'
import { CallResult } from './call-result.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FAILURE = JSON.stringify({
  jsonrpc: '2.0',
  id: null,
  error: { code: -32_603, message: 'Something went wrong on our side' },
})

/** Options of {@link PostTransport}. */
export interface PostOptions {
  /** The requests among its messages. */
  readonly ids: readonly RequestId[]
  /** True if the messages came as a list. */
  readonly isBatch: boolean
  /** The media types that the client accepts. */
  readonly json: boolean
  readonly stream: boolean
  /** Called when the client disconnects. */
  readonly onLeave: () => void
  /** Called when all messages are answered. */
  readonly onEnd: () => void
}

/**
 * One POST of Streamable HTTP as a connection: messages that the server sends become its answer.
 * The answer is JSON. It is a stream if the server sends a notification before the end and the
 * client accepts a stream.
 */
export class PostTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #options: PostOptions
  readonly #waiting: Set<RequestId>
  readonly #answers: JSONRPCMessage[] = []
  readonly #outcome = Promise.withResolvers<Outgoing>()
  #stream: EventWriter | null = null

  constructor(options: PostOptions) {
    this.#options = options
    this.#waiting = new Set(options.ids)
    if (this.#waiting.size === 0) this.#outcome.resolve({ status: 202, headers: {}, body: null })
  }

  /** The answer, once it has begun. */
  get outcome(): Promise<Outgoing> {
    return this.#outcome.promise
  }

  async start(): Promise<void> {}

  /**
   * Hands a message to the server.
   *
   * @throws {TypeError} for anything that is not a message
   */
  receive(value: unknown): void {
    if (!isMessage(value)) throw new TypeError('This is not a message of JSON-RPC 2.0')
    this.onmessage?.(value)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if (this.#options.stream && this.#waiting.size > 0) this.#open().send('message', message)
      return
    }
    if (message.id === undefined || !this.#waiting.delete(message.id)) return
    // The stream opens only with its first message, because opening it fixes the answer's status.
    if (this.#stream || !this.#options.json) this.#open().send('message', message)
    else this.#answers.push(message)
    if (this.#waiting.size === 0) this.#end()
  }

  /** Ends the answer if one of its messages cannot be made, so that no client waits for it. */
  fail(): void {
    this.#waiting.clear()
    this.#options.onEnd()
    this.#stream?.close()
    this.#outcome.resolve({ status: 500, headers: JSON_TYPE, body: FAILURE })
  }

  /** Keeps the connection of a client that reads a stream alive. */
  beat(): void {
    this.#stream?.beat()
  }

  async close(): Promise<void> {
    this.#stream?.close()
    this.onclose?.()
  }

  #end(): void {
    this.#options.onEnd()
    if (this.#stream) return this.#stream.close()
    const texts = this.#answers.map(jsonOf)
    const body = this.#options.isBatch ? `[${texts.join()}]` : (texts[0] ?? '')
    this.#outcome.resolve({ status: 200, headers: JSON_TYPE, body })
  }

  #open(): EventWriter {
    if (this.#stream) return this.#stream
    const stream = new EventWriter(this.#options.onLeave)
    this.#stream = stream
    for (const answer of this.#answers.splice(0)) stream.send('message', answer)
    this.#outcome.resolve(new Response(stream.body, { headers: EVENT_STREAM_HEADERS }))
    return stream
  }
}

/** A message as JSON. */
function jsonOf(message: JSONRPCMessage): string {
  return 'result' in message && message.result instanceof CallResult
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${CallResult.jsonOf(message.result)}}`
    : JSON.stringify(message)
}

/** The SDK has already checked it with its own schemas. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isObject(value) && value['jsonrpc'] === '2.0'
}
