/** A bounded number of places, given in the order in which they were asked for. */
export class Places {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /**
   * Resolves when there is a place.
   *
   * @throws the signal's reason once it aborts; the place is then not taken
   */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#free > 0) {
      this.#free--
      return
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = (): void => {
      if (this.#waiting.delete(resolve)) reject(signal.reason)
    }
    this.#waiting.add(resolve)
    signal.addEventListener('abort', leave, { once: true })
    await promise.finally(() => signal.removeEventListener('abort', leave))
  }

  /** Hands a place on. */
  give(): void {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free++
      return
    }
    this.#waiting.delete(next)
    next()
  }
}
