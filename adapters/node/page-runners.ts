import type { PageJob } from './page-job.ts'
import type { PageRecipe } from './page-recipe.ts'

/** What works for a pool, and which of it is kept for quick pages. */
export class PageRunners {
  readonly #all = new Set<PageRunner>()
  /** The one that has no pages that take long: `null` as long as there is no need for one. */
  express: PageRunner | null = null

  /** How many there are, and the one for quick pages not counted. */
  get size(): number {
    return this.#all.size - (this.express ? 1 : 0)
  }

  [Symbol.iterator](): Iterator<PageRunner> {
    return this.#all.values()
  }

  /** Whether one is on its way up. */
  get isGrowing(): boolean {
    for (const runner of this.#all) if (!runner.isReady) return true
    return false
  }

  /** Whether one has a page. */
  get hasWork(): boolean {
    for (const runner of this.#all) if (runner.load > 0) return true
    return false
  }

  /** Whether every one is at pages that take long. */
  get isAllSlow(): boolean {
    for (const runner of this.#all) if (!runner.isSlow) return false
    return this.#all.size > 0
  }

  add(runner: PageRunner): void {
    this.#all.add(runner)
  }

  /** Whether it was the one for quick pages. */
  remove(runner: PageRunner): boolean {
    this.#all.delete(runner)
    const wasExpress = runner === this.express
    if (wasExpress) this.express = null
    return wasExpress
  }

  /** Of those that fit and have room, the one with the fewest pages. */
  leastLoaded(fits: (runner: PageRunner) => boolean): PageRunner | null {
    let chosen: PageRunner | null = null
    for (const runner of this.#all)
      if (runner.hasRoom && runner.load < (chosen?.load ?? Infinity) && fits(runner))
        chosen = runner
    return chosen
  }

  /**
   * For a page of an account: the one with the most pages, where none has room or a page of that
   * account.
   */
  fullestFor(account: string): PageRunner | null {
    let fullest: PageRunner | null = null
    for (const runner of this.#all) {
      if (runner.hasRoom || runner.serves(account)) return null
      if (runner.load > (fullest?.load ?? 1)) fullest = runner
    }
    return fullest
  }
}

/** What works on the pages of a pool: a thread, or, where there are none, this one. */
export interface PageRunner {
  /** True once it can be given pages. */
  readonly isReady: boolean
  /** Pages that it has, and that were not taken back. */
  readonly load: number
  /** Whether it has a page of an account whose pages take long. */
  readonly isSlow: boolean
  /** Whether it may have another page: as many as it does in a moment, so that it does not run dry. */
  readonly hasRoom: boolean
  give(job: PageJob): void
  /** The page that it is at, if it has been for longer than so many ms. */
  late(ms: number): PageJob | null
  /** Works with a low priority until the page that it is at is done. */
  standBack(): void
  /** Whether it has a page of this account. */
  serves(account: string): boolean
  /** Takes back the pages that it has not begun, in their order. */
  takeBack(): PageJob[]
  /** Takes back all pages, the one under way too; it can do nothing but end then. */
  abandon(): PageJob[]
  /** Drops a recipe; its pages reject with `reason`. */
  forget(recipe: PageRecipe, reason: Error): void
  /** Ends it, whatever it is at. */
  end(reason: Error): Promise<void>
}

/** Pages that take longer, in ms, are not to hold up those of other accounts. */
export const SLOW_MS = 100
/**
 * What an account's pages are thought to take where one was not done after that: one quick page
 * clears it of that.
 */
const NOTED_MS = 1.5 * SLOW_MS
/** How much the last page counts for what an account's pages are thought to take. */
const WEIGHT = 0.5

/** Accounts whose pages take long, as far as is known. */
export class SlowAccounts {
  /** How long their pages are thought to take, in ms. */
  readonly #ms = new Map<string, number>()

  has(account: string): boolean {
    return this.#ms.has(account)
  }

  /** A page of an account was not done after {@link SLOW_MS}. */
  note(account: string): void {
    this.#ms.set(account, Math.max(NOTED_MS, this.#ms.get(account) ?? 0))
  }

  /** A page of an account took so long. */
  learn(account: string, ms: number): void {
    const before = this.#ms.get(account) ?? 0
    const now = before + (ms - before) * WEIGHT
    if (now > SLOW_MS) this.#ms.set(account, now)
    else this.#ms.delete(account)
  }
}
