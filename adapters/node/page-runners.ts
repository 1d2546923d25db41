import type { PageJob } from './page-job.ts'
import type { PageRecipe } from './page-recipe.ts'

/** The workers of a pool. One may be kept for quick pages, and one as its spare. */
export class PageRunners {
  readonly #all = new Set<PageRunner>()
  /** The worker for quick pages; `null` as long as it is not needed. */
  express: PageRunner | null = null
  /**
   * The spare worker, which has no pages. It replaces the worker for quick pages when that one has
   * a slow page.
   */
  spare: PageRunner | null = null

  /** Number of workers, without the one for quick pages and the spare one. */
  get size(): number {
    return this.#all.size - (this.express ? 1 : 0) - (this.spare ? 1 : 0)
  }

  [Symbol.iterator](): Iterator<PageRunner> {
    return this.#all.values()
  }

  /** True if a worker is starting. */
  get isGrowing(): boolean {
    for (const runner of this.#all) if (!runner.isReady) return true
    return false
  }

  /** True if a worker has a page. */
  get hasWork(): boolean {
    for (const runner of this.#all) if (runner.load > 0) return true
    return false
  }

  /** True if every worker but the spare one has a slow page. */
  get isAllSlow(): boolean {
    for (const runner of this.#all) if (runner !== this.spare && !runner.isSlow) return false
    return this.#all.size > 0
  }

  /** True if all workers, except the spare one and the one for quick pages, work on long pages. */
  get isOtherLong(): boolean {
    for (const runner of this.#all)
      if (runner !== this.spare && runner !== this.express && runner.isReady && !runner.isLong)
        return false
    return true
  }

  /**
   * Assigns the roles of quick worker and spare worker again. A worker for quick pages
   * that has a slow page becomes one of the others, and the spare one takes its place. A worker
   * beyond `threads` that has no pages is the next spare one.
   */
  rotate(threads: number): void {
    if (this.express?.isSlow && this.spare?.isReady) this.#promoteSpare()
    if (this.spare || this.size <= threads) return
    for (const runner of this.#all)
      if (runner !== this.express && runner.isReady && runner.load === 0) {
        this.spare = runner
        return
      }
  }

  add(runner: PageRunner): void {
    this.#all.add(runner)
  }

  /** The spare worker, if there is one, replaces the worker for quick pages. */
  #promoteSpare(): void {
    this.express = this.spare
    this.spare = null
  }

  /** Removes a worker, and returns its role. */
  remove(runner: PageRunner): 'express' | 'spare' | null {
    this.#all.delete(runner)
    if (runner === this.express) {
      this.#promoteSpare()
      return 'express'
    }
    if (runner !== this.spare) return null
    this.spare = null
    return 'spare'
  }

  /** Returns the worker with the fewest pages among those that fit and have room. */
  leastLoaded(fits: (runner: PageRunner) => boolean): PageRunner | null {
    let chosen: PageRunner | null = null
    for (const runner of this.#all)
      if (
        runner !== this.spare &&
        runner.hasRoom &&
        runner.load < (chosen?.load ?? Infinity) &&
        fits(runner)
      )
        chosen = runner
    return chosen
  }

  /**
   * For a page of an account: returns the worker with the most pages among those that fit, if none
   * of these has room or a page of that account.
   */
  fullestFor(account: string, fits: (runner: PageRunner) => boolean): PageRunner | null {
    let fullest: PageRunner | null = null
    for (const runner of this.#all) {
      if (runner === this.spare || !fits(runner)) continue
      if (runner.hasRoom || runner.serves(account)) return null
      if (runner.load > (fullest?.load ?? 1)) fullest = runner
    }
    return fullest
  }
}

/** A worker of a pool: a thread or, on a runtime without threads, the calling thread. */
export interface PageRunner {
  /** True once the worker can take pages. */
  readonly isReady: boolean
  /** Pages of this worker that were not taken back. */
  readonly load: number
  /** True if the worker has a page of a slow account. */
  readonly isSlow: boolean
  /** True if the worker is slow, or one of its pages has already taken long. */
  readonly isLong: boolean
  /** True if the worker may get another page. It holds a few ms of work, so that it never idles. */
  readonly hasRoom: boolean
  give(job: PageJob): void
  /** True while the worker sends the answer of its page. */
  readonly isAnswering: boolean
  /** Returns the page that has kept the worker busy for longer than `ms`, its answer included. */
  late(ms: number): PageJob | null
  /** Lowers the priority of the worker until its current page is done. */
  standBack(): void
  /** True if the worker has a page of this account. */
  serves(account: string): boolean
  /** Takes back the pages that it has not started, in order. */
  takeBack(): PageJob[]
  /** Takes back all pages, including the current one. After that the worker can only be ended. */
  abandon(): PageJob[]
  /** Drops a recipe; its pages reject with `reason`. */
  forget(recipe: PageRecipe, reason: Error): void
  /** Ends it at once, even during a page. */
  end(reason: Error): Promise<void>
}

/** In ms. A page that takes longer counts as slow, and must not delay pages of other accounts. */
export const SLOW_MS = 40
/** Assumed time of an account's pages after one of them did not finish. One quick page resets it. */
const NOTED_MS = 1.5 * SLOW_MS
/** Weight of the last page in the estimate of an account's pages. */
const WEIGHT = 0.5

/** Accounts whose pages take long, as far as is known. */
export class SlowAccounts {
  /** Estimated time of an account's pages, in ms. */
  readonly #ms = new Map<string, number>()

  has(account: string): boolean {
    return this.#ms.has(account)
  }

  /** A page of an account was not done after {@link SLOW_MS}. */
  note(account: string): void {
    this.#ms.set(account, Math.max(NOTED_MS, this.#ms.get(account) ?? 0))
  }

  /** Records the time of a page of an account. */
  learn(account: string, ms: number): void {
    const before = this.#ms.get(account) ?? 0
    const now = before + (ms - before) * WEIGHT
    if (now > SLOW_MS) this.#ms.set(account, now)
    else this.#ms.delete(account)
  }
}
