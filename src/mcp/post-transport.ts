import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js'
import { EVENT_STREAM_HEADERS, EventStream } from '../kernel/event-stream.ts'
import type { Outgoing } from '../kernel/reply.ts'

/** What a {@link PostTransport} carries. */
export interface PostOptions {
  readonly messages: readonly JSONRPCMessage[]
  /** They came as a list. */
  readonly isBatch: boolean
  /** Which answers the client takes. */
  readonly json: boolean
  readonly stream: boolean
  /** The client has gone. */
  readonly onLeave: () => void
}

/**
 * One POST of Streamable HTTP as a connection: its messages come in, and what is sent becomes its answer. That is JSON, unless something has to
 * be told before the end and the client takes a stream: then the answer is a stream from there on.
 */
export class PostTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: Transport['onmessage']
  readonly #options: PostOptions
  readonly #waiting: Set<RequestId>
  readonly #answers: JSONRPCMessage[] = []
  readonly #outcome = Promise.withResolvers<Outgoing>()
  #stream: EventStream | null = null

  constructor(options: PostOptions) {
    this.#options = options
    this.#waiting = new Set(options.messages.flatMap((message) => ('method' in message && 'id' in message ? [message.id] : [])))
  }

  async start(): Promise<void> {}

  /** Hands the messages to the server. Resolves with the answer, once it has begun. */
  deliver(): Promise<Outgoing> {
    if (this.#waiting.size === 0) this.#outcome.resolve({ status: 202, headers: {}, body: null })
    else if (!this.#options.json) this.#open()
    for (const message of this.#options.messages) this.onmessage?.(message)
    return this.#outcome.promise
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) {
      if (this.#options.stream && this.#waiting.size > 0) this.#open().send('message', message)
      return
    }
    if (message.id === undefined || !this.#waiting.delete(message.id)) return
    if (this.#stream) this.#stream.send('message', message)
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
    if (this.#stream) return this.#stream.close()
    const body = JSON.stringify(this.#options.isBatch ? this.#answers : this.#answers[0])
    this.#outcome.resolve({ status: 200, headers: { 'Content-Type': 'application/json' }, body })
  }

  #open(): EventStream {
    if (this.#stream) return this.#stream
    const stream = new EventStream(this.#options.onLeave)
    this.#stream = stream
    for (const answer of this.#answers.splice(0)) stream.send('message', answer)
    this.#outcome.resolve(new Response(stream.body, { headers: EVENT_STREAM_HEADERS }))
    return stream
  }
}
