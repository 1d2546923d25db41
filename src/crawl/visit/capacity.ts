/** A process that visits pages of a run. */
export interface WorkerPlace {
  /**
   * Pages that it may have for each that it visits: those that wait there are at hand when one is
   * done.
   */
  readonly ahead: number
  /** Pages that it has. */
  out: number
  /** Hosts that it has pages of. */
  hosts: number
  /** Lanes that it has, see `Lanes`. */
  lanes: number
}

/** How many pages are visited at the same time, and by whom. */
export interface Capacity<P extends WorkerPlace> {
  /** Pages at the same time, in all processes together. */
  readonly slots: number
  /** So many processes take part from now on. */
  spread(places: number): void
  /** Whether a place may have no more pages. */
  isFull(place: P): boolean
  /** How much of its part a place has: 1 is all of it. */
  load(place: P): number
  /** Whether it should leave a host to a place that has nothing to do. */
  isBusy(place: P): boolean
  /** A page is given to a place that is not full, in this lane; `null`: there are none. */
  take(place: P): number | null
  /** A place has a page in this lane already. */
  has(place: P, lane: number | null): void
  /** A page of this lane has come back, or will not be visited there. */
  free(lane: number | null): void
}

/** So many pages in each process. */
export class EachItsOwn<P extends WorkerPlace> implements Capacity<P> {
  readonly #each: number
  #places = 1

  constructor(each: number) {
    this.#each = each
  }

  get slots(): number {
    return this.#places * this.#each
  }

  spread(places: number): void {
    this.#places = places
  }

  isFull(place: P): boolean {
    return place.out >= place.ahead * this.#each
  }

  load(place: P): number {
    return place.out / this.#each
  }

  isBusy(place: P): boolean {
    return this.load(place) >= 1
  }

  take(): null {
    return null
  }

  has(): void {}

  free(): void {}
}
