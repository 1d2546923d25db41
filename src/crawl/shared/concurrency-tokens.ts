import type { Capacity, WorkerPlace } from '../visit/capacity.ts'

/**
 * A fixed number of concurrency tokens for all processes together. A token belongs to one process
 * as long as that process has pages with it, and the process visits those pages one after the
 * other. So the processes need no agreement: a token is free when its last page is reported.
 */
export class ConcurrencyTokens<P extends WorkerPlace> implements Capacity<P> {
  readonly slots: number
  readonly #free: number[]
  readonly #taken = new Map<number, { readonly place: P; pages: number }>()
  /** Tokens of a process, if all processes have the same number. */
  #part: number

  constructor(count: number) {
    this.slots = count
    this.#part = count
    this.#free = Array.from({ length: count }, (_, lane) => count - 1 - lane)
  }

  spread(places: number): void {
    this.#part = Math.ceil(this.slots / places)
  }

  isFull(place: P): boolean {
    return this.#free.length === 0 && place.out >= place.ahead * place.lanes
  }

  load(place: P): number {
    return place.lanes / this.#part
  }

  isBusy(place: P): boolean {
    return place.lanes > this.#part
  }

  take(place: P): number | null {
    const lane = this.#free.pop() ?? this.#shortestOf(place)
    if (lane !== null) this.#add(place, lane)
    return lane
  }

  has(place: P, lane: number | null): void {
    if (lane === null) return
    const at = this.#free.indexOf(lane)
    if (at >= 0) this.#free.splice(at, 1)
    this.#add(place, lane)
  }

  free(lane: number | null): void {
    const taken = lane === null ? undefined : this.#taken.get(lane)
    if (lane === null || !taken || --taken.pages > 0) return
    this.#taken.delete(lane)
    taken.place.lanes--
    this.#free.push(lane)
  }

  #add(place: P, lane: number): void {
    const taken = this.#taken.get(lane)
    if (taken) taken.pages++
    else {
      this.#taken.set(lane, { place, pages: 1 })
      place.lanes++
    }
  }

  #shortestOf(place: P): number | null {
    let shortest: number | null = null
    let least = Infinity
    for (const [lane, taken] of this.#taken) {
      if (taken.place !== place || taken.pages >= least) continue
      shortest = lane
      least = taken.pages
    }
    return shortest
  }
}
