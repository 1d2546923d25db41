/**
 * Memoises an asynchronous loader: the first call runs `load`, and later calls return its result. A
 * rejection is not cached.
 */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loading: Promise<T> | null = null
  return () =>
    (loading ??= load().catch((error: unknown) => {
      loading = null
      throw error
    }))
}

/**
 * Runs work of the same key in sequence, in the order of the calls. Work of other keys does not
 * wait. Valid within this process only.
 */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Not reentrant: work that waits for other work of the same key deadlocks. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const mine = before ? before.then(work, work) : work()
    this.#last.set(key, mine)
    const leave = (): void => {
      if (this.#last.get(key) === mine) this.#last.delete(key)
    }
    mine.then(leave, leave)
    return mine
  }

  /** Keys with running or waiting work. */
  get size(): number {
    return this.#last.size
  }
}

/** A FIFO semaphore. Waiting can be aborted by a signal. */
export class Semaphore {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Works at once if a permit is free. Rejects with the signal's reason if it aborts while waiting. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  /**
   * Takes a permit. Call what it returns once, to give the permit back.
   *
   * @throws the signal's reason, if it aborts before a permit is free
   */
  async enter(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#free > 0) this.#free--
    else await this.#wait(signal)
    return () => this.#leave()
  }

  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#free++
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
