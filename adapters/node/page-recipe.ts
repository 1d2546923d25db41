import type { Json } from '../../src/kernel/json.ts'
import type { PageLimits } from '../../src/ports/page-limits.ts'
import type { RowsSpec } from '../../src/ports/row-work.ts'

/**
 * The work that a thread can open: a recipe for pages (`null`: questions without a recipe), or the
 * conversion of rows.
 */
export type RecipeSource =
  | {
      readonly kind: 'pages'
      readonly recipe: Json | null
      readonly limits: PageLimits | undefined
    }
  | { readonly kind: 'rows'; readonly spec: RowsSpec }

/** Assumed time of a page when nothing is known about it, in ms. */
const UNKNOWN_MS = 20
/** Weight of the last page in the estimate of the next one. */
const WEIGHT = 0.2

/**
 * An open recipe or conversion of rows in a pool: its number for the threads, its account, and the
 * time of its jobs.
 */
export class PageRecipe {
  readonly number: number
  readonly source: RecipeSource
  readonly account: string
  isOpen = true
  #ms = UNKNOWN_MS
  #isKnown = false

  constructor(number: number, source: RecipeSource, account: string) {
    this.number = number
    this.source = source
    this.account = account
  }

  /** Estimated time of a page, in ms. */
  get estimate(): number {
    return this.#ms
  }

  /** Records the time of a page. */
  learn(ms: number): void {
    this.#ms = this.#isKnown ? this.#ms + (ms - this.#ms) * WEIGHT : ms
    this.#isKnown = true
  }
}
