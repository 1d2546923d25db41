/** A process that visits pages of a run. */
export interface WorkerPlace {
  /** Pages assigned per page visited: the next one is ready when a visit ends. */
  readonly ahead: number
  /** Pages assigned to it. */
  out: number
  /** Hosts of the pages assigned to it. */
  hosts: number
  /** Concurrency tokens that it has, see `ConcurrencyTokens`. */
  tokens: number
}

/** Decides how many pages are visited at the same time, and by which processes. */
export interface Capacity<P extends WorkerPlace> {
  /** Pages at the same time, in all processes together. */
  readonly concurrency: number
  /** Sets the number of processes that take part. */
  spread(places: number): void
  /** True if the process may get no more pages. */
  isFull(place: P): boolean
  /** Share of its capacity that a process uses: 1 is all of it. */
  load(place: P): number
  /** True if the process should leave a host to one with free capacity. */
  isBusy(place: P): boolean
  /** Assigns a page to a process that is not full. Returns its token; `null`: no tokens exist. */
  take(place: P): number | null
  /** Records that a process already has a page with this token. */
  has(place: P, token: number | null): void
  /** Records that a page with this token came back, or that its process will not visit it. */
  free(token: number | null): void
}

/** A fixed number of pages in each process. */
export class EachItsOwn<P extends WorkerPlace> implements Capacity<P> {
  readonly #each: number
  #places = 1

  constructor(each: number) {
    this.#each = each
  }

  get concurrency(): number {
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
