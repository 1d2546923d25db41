import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { EVENT_STREAM_HEADERS } from '../kernel/http/event-stream.ts'
import { EventWriter } from '../kernel/http/event-writer.ts'
import type { Outgoing } from '../kernel/http/message.ts'
import { isObject } from '../kernel/json.ts'

/** Options of {@link PostTransport}. */
export interface PostOptions {
  /** The requests among its messages. */
  readonly ids: readonly RequestId[]
  /** They came as a list. */
  readonly isBatch: boolean
  /** The media types that the client accepts. */
  readonly json: boolean
  readonly stream: boolean
  /** The client has gone. */
  readonly onLeave: () => void
  /** All of it is answered. */
  readonly onEnd: () => void
}

/**
 * One POST of Streamable HTTP as a connection: what is sent becomes its answer. That is JSON,
 * unless something has to be told before the end and the client takes a stream: then the answer is
 * a stream from there on.
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
   * @throws {TypeError} for what is none
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
    // Not before there is something to tell: how it begins is the answer's status.
    if (this.#stream || !this.#options.json) this.#open().send('message', message)
    else this.#answers.push(message)
    if (this.#waiting.size === 0) this.#end()
  }

  /** Shows a client that reads a stream that it is alive. */
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
    const body = JSON.stringify(this.#options.isBatch ? this.#answers : this.#answers[0])
    this.#outcome.resolve({ status: 200, headers: { 'Content-Type': 'application/json' }, body })
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

/** The SDK has looked at it before, by its own schemas. */
function isMessage(value: unknown): value is JSONRPCMessage {
  return isObject(value) && value['jsonrpc'] === '2.0'
}
