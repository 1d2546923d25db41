const CHUNK = 512

/**
 * A map that also walks its keys in order. Keys lie in chunks of at most {@link CHUNK}, so inserting
 * one moves few others however large the map is; point reads are those of a `Map`.
 */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  /** Never empty as a whole; every chunk but a lone first one has at least one key. */
  readonly #chunks: string[][] = [[]]

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key)
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (!this.#values.delete(key)) return
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at] ?? []
    chunk.splice(lowerBound(chunk, key), 1)
    if (chunk.length === 0 && this.#chunks.length > 1) this.#chunks.splice(at, 1)
  }

  /** Keys strictly between the bounds, ascending. The map must not change meanwhile. */
  *ascending(over: string, under: string): Generator<readonly [string, V]> {
    for (let at = this.#chunkFor(over); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at] ?? []
      for (let i = lowerBound(chunk, over); i < chunk.length; i++) {
        const key = chunk[i] ?? ''
        if (key >= under) return
        const value = key === over ? undefined : this.#values.get(key)
        if (value !== undefined) yield [key, value]
      }
    }
  }

  /** Keys strictly between the bounds, descending. The map must not change meanwhile. */
  *descending(over: string, under: string): Generator<readonly [string, V]> {
    for (let at = this.#chunkFor(under); at >= 0; at--) {
      const chunk = this.#chunks[at] ?? []
      for (let i = lowerBound(chunk, under) - 1; i >= 0; i--) {
        const key = chunk[i] ?? ''
        if (key <= over) return
        const value = this.#values.get(key)
        if (value !== undefined) yield [key, value]
      }
    }
  }

  clear(): void {
    this.#values.clear()
    this.#chunks.splice(0, this.#chunks.length, [])
  }

  #insert(key: string): void {
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at] ?? []
    const last = chunk.at(-1)
    // Keys often arrive in order; splitting at the end then leaves full chunks behind.
    if (last === undefined || key > last) chunk.push(key)
    else chunk.splice(lowerBound(chunk, key), 0, key)
    if (chunk.length > CHUNK)
      this.#chunks.splice(at + 1, 0, chunk.splice(chunk.at(-1) === key ? CHUNK : CHUNK / 2))
  }

  /** The last chunk that starts at or before `key`, else the first one. */
  #chunkFor(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#chunks[middle]?.[0] ?? '') <= key) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Index of the first key that is not before `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((keys[middle] ?? '') < key) low = middle + 1
    else high = middle
  }
  return low
}
