/** A FIFO semaphore. Waiting can be aborted by a signal. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Rejects with the signal's reason if it aborts before a permit is free. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1)
        reject(signal?.reason)
      }
      this.#waiting.push(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }
}
