/** Items with numbers, the lowest number first: a binary heap. */
export class Heap<T> {
  readonly #items: T[] = []
  readonly #ranks: number[] = []

  get size(): number {
    return this.#items.length
  }

  /** The lowest number; `Infinity`: there is no item. */
  get lowest(): number {
    return this.#ranks[0] ?? Infinity
  }

  push(item: T, rank: number): void {
    let index = this.#items.length
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (this.#rankOf(parent) <= rank) break
      this.#move(parent, index)
      index = parent
    }
    this.#items[index] = item
    this.#ranks[index] = rank
  }

  /** The item with the lowest number, which stays. */
  peek(): T | undefined {
    return this.#items[0]
  }

  /** Removes and returns the item with the lowest number. */
  pop(): T | undefined {
    const first = this.#items[0]
    const item = this.#items.pop()
    const rank = this.#ranks.pop()
    if (item === undefined || rank === undefined || this.#items.length === 0) return first
    const { length } = this.#items
    let index = 0
    for (let child = 1; child < length; child = 2 * index + 1) {
      if (child + 1 < length && this.#rankOf(child + 1) < this.#rankOf(child)) child++
      if (rank <= this.#rankOf(child)) break
      this.#move(child, index)
      index = child
    }
    this.#items[index] = item
    this.#ranks[index] = rank
    return first
  }

  #rankOf(index: number): number {
    return this.#ranks[index] ?? Infinity
  }

  #move(from: number, to: number): void {
    const item = this.#items[from]
    if (item === undefined) return
    this.#items[to] = item
    this.#ranks[to] = this.#rankOf(from)
  }
}
