/** What waits for one account, and what was spent on it. */
interface Share<T> {
  readonly items: T[]
  /** Items before this one are gone. */
  head: number
  /** The time spent on it, or the floor where it came in later. */
  spent: number
}

/** Shares that are kept before those that owe nothing are looked for. */
const MANY = 256

/**
 * A queue that is shared by accounts: whoever had least of the time is next, and the items of one
 * account keep their order (start-time fair queueing). An account that comes back has no claim to
 * the time that it left unused.
 */
export class FairQueue<T> {
  readonly #shares = new Map<string, Share<T>>()
  /** What the account had that was last chosen. */
  #floor = 0
  #size = 0

  /** Items that wait. */
  get size(): number {
    return this.#size
  }

  push(account: string, item: T): void {
    this.#shareOf(account).items.push(item)
    this.#size++
  }

  /**
   * Undoes the taking of items, the last ones of this account, for which `time` was charged; they
   * keep their order.
   */
  putBack(account: string, items: readonly T[], time: number): void {
    const share = this.#shareOf(account)
    share.items.splice(0, share.head, ...items)
    share.head = 0
    share.spent -= time
    // As it was before; whoever comes now does not stand behind what was undone.
    this.#floor = Math.min(this.#floor, share.spent)
    this.#size += items.length
  }

  /** Items of one account that wait. */
  waiting(account: string): number {
    const { items = [], head = 0 } = this.#shares.get(account) ?? {}
    return items.length - head
  }

  /** Whether an item waits of an account that `fits`. */
  hasFor(fits: (account: string) => boolean): boolean {
    for (const [account, { items, head }] of this.#shares)
      if (head < items.length && fits(account)) return true
    return false
  }

  /** Takes the next item, of those of the accounts that `fit`. */
  take(fits: (account: string) => boolean = () => true): T | undefined {
    let chosen: Share<T> | null = null
    for (const [account, share] of this.#shares) {
      // Among equals the one that came last, as it had nothing yet.
      if (
        share.head < share.items.length &&
        share.spent <= (chosen?.spent ?? Infinity) &&
        fits(account)
      )
        chosen = share
    }
    if (chosen === null) return undefined
    this.#floor = Math.max(this.#floor, chosen.spent)
    this.#size--
    const item = chosen.items[chosen.head++]
    if (chosen.head > 1_000 || chosen.head === chosen.items.length) {
      chosen.items.splice(0, chosen.head)
      chosen.head = 0
    }
    return item
  }

  /** Notes time that an account had; less than nothing where it had less than was thought. */
  charge(account: string, time: number): void {
    this.#shareOf(account).spent += time
  }

  /** Looks at all that wait. */
  forEach(look: (item: T) => void): void {
    for (const { items, head } of this.#shares.values())
      items.slice(head).forEach((item) => look(item))
  }

  /** Takes all that wait. */
  clear(): T[] {
    const all = [...this.#shares.values()].flatMap(({ items, head }) => items.slice(head))
    this.#shares.clear()
    this.#size = 0
    return all
  }

  #shareOf(account: string): Share<T> {
    const known = this.#shares.get(account)
    if (known !== undefined) {
      if (known.items.length === known.head) known.spent = Math.max(known.spent, this.#floor)
      return known
    }
    if (this.#shares.size >= MANY) this.#forget()
    const share: Share<T> = { items: [], head: 0, spent: this.#floor }
    this.#shares.set(account, share)
    return share
  }

  /** Forgets accounts that would come back as new ones do. */
  #forget(): void {
    for (const [account, { items, head, spent }] of this.#shares) {
      if (items.length === head && spent <= this.#floor) this.#shares.delete(account)
    }
  }
}
