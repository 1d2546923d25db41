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
