import { nextTurn } from '../../kernel/pace.ts'

/** A listener of messages. */
type Listener = (event: { readonly data: unknown }) => void

/**
 * The port between the two sides of pdf.js, which are both on this thread. Each side gets all
 * messages, and uses those with its name. The port of pdf.js delivers all messages within one turn
 * of the event loop, so it would block until a file is read. This port delivers each message in a
 * separate turn: the reading side waits for the other one after 20 ms, and after each piece of a
 * page.
 */
export class TurnPort {
  readonly #listeners = new Set<Listener>()
  #waiting: unknown[] = []
  #isDelivering = false
  readonly #onMessage: (message: unknown) => void
  readonly #failure = Promise.withResolvers<never>()
  /** Rejects with the first error of a listener. */
  readonly failed = this.#failure.promise

  /** `onMessage` is called with each message before it is delivered. */
  constructor(onMessage: (message: unknown) => void = () => undefined) {
    // Readers need not wait for it.
    this.failed.catch(() => undefined)
    this.#onMessage = onMessage
  }

  postMessage(message: unknown, transfer?: Transferable[] | null): void {
    const copy: unknown = structuredClone(message, transfer ? { transfer } : undefined)
    limitAhead(copy)
    this.#waiting.push(copy)
    if (!this.#isDelivering) void this.#deliver()
  }

  addEventListener(_: 'message', listener: Listener, options?: AddEventListenerOptions): void {
    this.#listeners.add(listener)
    options?.signal?.addEventListener('abort', () => this.#listeners.delete(listener), {
      once: true,
    })
  }

  removeEventListener(_: 'message', listener: Listener): void {
    this.#listeners.delete(listener)
  }

  /** Ends both sides. */
  terminate(): void {
    this.#listeners.clear()
    this.#waiting = []
  }

  async #deliver(): Promise<void> {
    this.#isDelivering = true
    while (this.#waiting.length > 0) {
      await nextTurn()
      for (const data of this.#waiting.splice(0)) {
        this.#onMessage(data)
        for (const listener of this.#listeners) this.#tell(listener, data)
      }
    }
    this.#isDelivering = false
  }

  /**
   * The other listeners still get this message and later ones, because both sides also end by
   * messages.
   */
  #tell(listener: Listener, data: unknown): void {
    try {
      listener.call(this, { data })
    } catch (error) {
      this.#failure.reject(error)
    }
  }
}

/**
 * Lets a stream send one piece of a page before it waits for the reader, and so for a turn. pdf.js
 * allows a hundred pieces. But one piece may need much drawing, and its part may be drawn again and
 * again.
 */
function limitAhead(message: unknown): void {
  const size: unknown = Reflect.get(Object(message), 'desiredSize')
  if (typeof size === 'number' && size > 1) Reflect.set(Object(message), 'desiredSize', 1)
}
