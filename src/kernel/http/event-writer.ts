const encoder = new TextEncoder()

/**
 * A stream of server-sent events, for a few small ones. Events that the reader has not taken are
 * buffered. A stream that may have many of them needs a maximum.
 */
export class EventWriter {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null

  readonly #onCancel: () => void

  /**
   * `onCancel`: called when the reader has gone, or is cut off. `mostUnread`: bytes that the reader
   * may leave unread. The next event then breaks the stream off. Default: any number.
   */
  constructor(onCancel: () => void, mostUnread = Infinity) {
    this.#onCancel = onCancel
    this.body = new ReadableStream<Uint8Array<ArrayBuffer>>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        cancel: () => {
          this.#controller = null
          onCancel()
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostUnread }),
    )
  }

  /** Adds an event; does nothing once the stream is closed. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Sends a comment that keeps the connection alive. */
  beat(): void {
    this.#write(':\n\n')
  }

  /** Ends the stream; with an error the reader sees that it was cut off. Idempotent. */
  close(error?: unknown): void {
    if (error === undefined) this.#controller?.close()
    else this.#controller?.error(error)
    this.#controller = null
  }

  #write(text: string): void {
    if ((this.#controller?.desiredSize ?? 1) > 0)
      return this.#controller?.enqueue(encoder.encode(text))
    this.close(new Error('The reader left too many events unread'))
    this.#onCancel()
  }
}
