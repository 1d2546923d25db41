/**
 * Makes a function that calls `load` when it is first asked, and gives what came of it ever after.
 * What failed is tried again.
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
 * Runs work of the same key one after the other, in the order of the calls; work of other keys is
 * not kept waiting. Of this process alone.
 */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Not reentrant: work that waits for more work of its own key waits for ever. */
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

  /** Keys that somebody works or waits for. */
  get size(): number {
    return this.#last.size
  }
}
