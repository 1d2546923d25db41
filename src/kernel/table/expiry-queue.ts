/**
 * Number of stale entries below which the heap is not rebuilt, so that few keys are not sorted
 * again and again.
 */
const MOST_LEFT_OVER = 1_000

/**
 * Keys with the times at which they expire, the earliest first: a binary heap. If a key is removed
 * or its time changes, its old entry stays as a stale one, which is skipped when it is due.
 */
export class ExpiryQueue {
  readonly #keys: string[] = []
  readonly #times: number[] = []

  /** `time`: Unix milliseconds. */
  add(key: string, time: number): void {
    let index = this.#keys.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#timeOf(parent) <= time) break
      this.#move(parent, index)
      index = parent
    }
    this.#set(index, key, time)
  }

  /** Removes and returns the key that expires first. `null`: no key has expired. */
  takeDue(now: number): string | null {
    if (this.#keys.length === 0 || this.#timeOf(0) > now) return null
    const due = this.#keys[0] ?? null
    const [key = '', time = 0] = [this.#keys.pop(), this.#times.pop()]
    if (this.#keys.length > 0) this.#sink(key, time)
    return due
  }

  /**
   * Drops stale entries if they are more than half. `timeOf` returns the expiry of a key, and
   * `count` is the number of keys that expire.
   */
  tidy(count: number, timeOf: (key: string) => number | null): void {
    if (this.#keys.length <= 2 * count + MOST_LEFT_OVER) return
    const times = new Map<string, number>()
    for (const key of this.#keys) {
      const time = timeOf(key)
      if (time !== null) times.set(key, time)
    }
    this.clear()
    // A list that is sorted by time is a heap.
    for (const [key, time] of [...times].toSorted(([, earlier], [, later]) => earlier - later))
      this.add(key, time)
  }

  get size(): number {
    return this.#keys.length
  }

  clear(): void {
    this.#keys.length = 0
    this.#times.length = 0
  }

  /** Moves an entry down from the root to its place. */
  #sink(key: string, time: number): void {
    const { length } = this.#keys
    let index = 0
    for (let child = 1; child < length; child = 2 * index + 1) {
      if (child + 1 < length && this.#timeOf(child + 1) < this.#timeOf(child)) child++
      if (time <= this.#timeOf(child)) break
      this.#move(child, index)
      index = child
    }
    this.#set(index, key, time)
  }

  #timeOf(index: number): number {
    return this.#times[index] ?? 0
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#keys[from] ?? '', this.#timeOf(from))
  }

  #set(index: number, key: string, time: number): void {
    this.#keys[index] = key
    this.#times[index] = time
  }
}
