import type { Json } from '../../src/kernel/json.ts'
import type { PageLimits } from '../../src/ports/page-processor.ts'

/** Time that a page takes of which nothing is known, in ms. */
const UNKNOWN_MS = 20
/** How much the last page counts for what the next one is thought to take. */
const WEIGHT = 0.2

/** An open recipe of a pool: its number for the threads, whose it is, and how long its pages take. */
export class PageRecipe {
  readonly number: number
  /** `null`: for questions that take no recipe. */
  readonly source: Json | null
  readonly account: string
  readonly limits: PageLimits | undefined
  isOpen = true
  #ms = UNKNOWN_MS
  #isKnown = false

  constructor(number: number, source: Json | null, account: string, limits: PageLimits | undefined) {
    this.number = number
    this.source = source
    this.account = account
    this.limits = limits
  }

  /** What a page is thought to take, in ms. */
  get estimate(): number {
    return this.#ms
  }

  /** Learns what a page took. */
  learn(ms: number): void {
    this.#ms = this.#isKnown ? this.#ms + (ms - this.#ms) * WEIGHT : ms
    this.#isKnown = true
  }
}
