import type { IncomingMessage, ServerResponse } from 'node:http'
import { drain } from './web-request.ts'

/**
 * Notices when the client of a request leaves before the response is complete. If the client stays,
 * the rest of the request is read. A signal is made only when it is needed.
 */
export class ClientWatch {
  readonly #req: IncomingMessage
  readonly #res: ServerResponse
  #leave: (() => void) | null = null
  #gone: AbortController | null = null
  #isWatching = false
  #hasLeft = false

  constructor(req: IncomingMessage, res: ServerResponse) {
    this.#req = req
    this.#res = res
  }

  /** Aborts when the client leaves. */
  get signal(): AbortSignal {
    if (this.#gone === null) {
      this.begin()
      this.#gone = new AbortController()
      if (this.#hasLeft) this.#abort()
    }
    return this.#gone.signal
  }

  /** Calls one function when the client leaves. This costs less than a signal. */
  whenLeft(leave: () => void): void {
    this.begin()
    if (this.#hasLeft) leave()
    else this.#leave = leave
  }

  /** Begins to look out. */
  begin(): void {
    if (this.#isWatching) return
    this.#isWatching = true
    if (this.#res.closed) this.#onClose()
    else this.#res.once('close', this.#onClose)
  }

  readonly #onClose = (): void => {
    if (this.#res.writableFinished) {
      if (!this.#req.complete) drain(this.#req)
      return
    }
    this.#hasLeft = true
    this.#abort()
    this.#leave?.()
  }

  #abort(): void {
    this.#gone?.abort(new DOMException('The client disconnected', 'AbortError'))
  }
}
