import type { PageHand } from './page-hand.ts'

/** What works for a pool, and which of it is kept for quick pages. */
export class PageHands {
  readonly #all = new Set<PageHand>()
  /** The one that has no pages that take long: `null` as long as there is no need for one. */
  express: PageHand | null = null

  /** How many there are, and the one for quick pages not counted. */
  get size(): number {
    return this.#all.size - (this.express ? 1 : 0)
  }

  [Symbol.iterator](): Iterator<PageHand> {
    return this.#all.values()
  }

  /** Whether one is on its way up. */
  get isGrowing(): boolean {
    for (const hand of this.#all) if (!hand.isReady) return true
    return false
  }

  /** Whether one has a page. */
  get hasWork(): boolean {
    for (const hand of this.#all) if (hand.load > 0) return true
    return false
  }

  /** Whether every one is at pages that take long. */
  get isAllSlow(): boolean {
    for (const hand of this.#all) if (!hand.isSlow) return false
    return this.#all.size > 0
  }

  add(hand: PageHand): void {
    this.#all.add(hand)
  }

  /** Whether it was the one for quick pages. */
  remove(hand: PageHand): boolean {
    this.#all.delete(hand)
    const wasExpress = hand === this.express
    if (wasExpress) this.express = null
    return wasExpress
  }

  /** Of those that fit and have room, the one with the fewest pages. */
  leastLoaded(fits: (hand: PageHand) => boolean): PageHand | null {
    let chosen: PageHand | null = null
    for (const hand of this.#all)
      if (hand.hasRoom && hand.load < (chosen?.load ?? Infinity) && fits(hand)) chosen = hand
    return chosen
  }

  /**
   * For a page of an account: the one with the most pages, where none has room or a page of that
   * account.
   */
  fullestFor(account: string): PageHand | null {
    let fullest: PageHand | null = null
    for (const hand of this.#all) {
      if (hand.hasRoom || hand.serves(account)) return null
      if (hand.load > (fullest?.load ?? 1)) fullest = hand
    }
    return fullest
  }
}
