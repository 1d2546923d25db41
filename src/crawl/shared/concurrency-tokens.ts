import type { Capacity, WorkerPlace } from '../visit/capacity.ts'

/**
 * A fixed number of concurrency tokens for all processes together. A token belongs to one process
 * as long as that process has pages with it, and the process visits those pages one after the
 * other. So the processes need no agreement: a token is free when its last page is reported.
 */
export class ConcurrencyTokens<P extends WorkerPlace> implements Capacity<P> {
  readonly concurrency: number
  readonly #free: number[]
  readonly #taken = new Map<number, { readonly place: P; pages: number }>()
  /** Tokens of a process, if all processes have the same number. */
  #part: number

  constructor(count: number) {
    this.concurrency = count
    this.#part = count
    this.#free = Array.from({ length: count }, (_, token) => count - 1 - token)
  }

  spread(places: number): void {
    this.#part = Math.ceil(this.concurrency / places)
  }

  isFull(place: P): boolean {
    return this.#free.length === 0 && place.out >= place.ahead * place.tokens
  }

  load(place: P): number {
    return place.tokens / this.#part
  }

  isBusy(place: P): boolean {
    return place.tokens > this.#part
  }

  take(place: P): number | null {
    const token = this.#free.pop() ?? this.#shortestOf(place)
    if (token !== null) this.#add(place, token)
    return token
  }

  has(place: P, token: number | null): void {
    if (token === null) return
    const at = this.#free.indexOf(token)
    if (at >= 0) this.#free.splice(at, 1)
    this.#add(place, token)
  }

  free(token: number | null): void {
    const taken = token === null ? undefined : this.#taken.get(token)
    if (token === null || !taken || --taken.pages > 0) return
    this.#taken.delete(token)
    taken.place.tokens--
    this.#free.push(token)
  }

  #add(place: P, token: number): void {
    const taken = this.#taken.get(token)
    if (taken) taken.pages++
    else {
      this.#taken.set(token, { place, pages: 1 })
      place.tokens++
    }
  }

  #shortestOf(place: P): number | null {
    let shortest: number | null = null
    let least = Infinity
    for (const [token, taken] of this.#taken) {
      if (taken.place !== place || taken.pages >= least) continue
      shortest = token
      least = taken.pages
    }
    return shortest
  }
}
