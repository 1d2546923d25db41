const encoder = new TextEncoder()

/** A stream of server-sent events, for few and small ones: what its reader does not take is kept. */
export class EventWriter {
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>
  #controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>> | null = null

  /** `onCancel`: its reader has gone. */
  constructor(onCancel: () => void) {
    this.body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        this.#controller = controller
      },
      cancel: () => {
        this.#controller = null
        onCancel()
      },
    })
  }

  /** Adds an event; nothing, once it is closed. */
  send(event: string, data: object): void {
    this.#write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  }

  /** Shows that it is alive. */
  beat(): void {
    this.#write(':\n\n')
  }

  /** Ends it; with an error its reader sees that it broke off. Idempotent. */
  close(error?: unknown): void {
    if (error === undefined) this.#controller?.close()
    else this.#controller?.error(error)
    this.#controller = null
  }

  #write(text: string): void {
    this.#controller?.enqueue(encoder.encode(text))
  }
}
