/** The waiting items of one account, and the time spent on it. */
interface Share<T> {
  readonly items: T[]
  /** Items before this index are gone. */
  head: number
  /** The time spent on the account, or the queue's time when it joined. */
  spent: number
}

/** Returns whether the first item of an account may be taken. */
type Fits<T> = (account: string, first: T) => boolean

/** Number of shares above which those without a debt are removed. */
const MANY = 256

/**
 * A queue that accounts share (start-time fair queueing). The account that used least time is next;
 * the items of one account keep their order. An account that returns has no claim to the time that
 * it did not use.
 */
export class FairQueue<T extends NonNullable<unknown>> {
  readonly #shares = new Map<string, Share<T>>()
  /** The time of the account that was chosen last. */
  #floor = 0
  #size = 0

  /** Number of waiting items. */
  get size(): number {
    return this.#size
  }

  push(account: string, item: T): void {
    this.#shareOf(account).items.push(item)
    this.#size++
  }

  /**
   * Puts back the last items that were taken for this account, for which `time` was charged. They
   * keep their order.
   */
  putBack(account: string, items: readonly T[], time: number): void {
    const share = this.#shareOf(account)
    share.items.splice(0, share.head, ...items)
    share.head = 0
    share.spent -= time
    // The time is restored too, so that an account that joins now does not come after these items.
    this.#floor = Math.min(this.#floor, share.spent)
    this.#size += items.length
  }

  /** Number of waiting items of one account. */
  waiting(account: string): number {
    const { items = [], head = 0 } = this.#shares.get(account) ?? {}
    return items.length - head
  }

  /** True if the first item of an account `fits`. */
  hasFor(fits: Fits<T>): boolean {
    for (const [account, share] of this.#shares) {
      const first = firstOf(share)
      if (first !== undefined && fits(account, first)) return true
    }
    return false
  }

  /** Takes the next item among the first ones of all accounts that `fit`. */
  take(fits: Fits<T> = () => true): T | undefined {
    let chosen: Share<T> | null = null
    for (const [account, share] of this.#shares) {
      const first = firstOf(share)
      // Of equal accounts the one that joined last is taken, because nothing was done for it yet.
      if (first !== undefined && share.spent <= (chosen?.spent ?? Infinity) && fits(account, first))
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

  /** Charges an account for time; negative if it used less than was charged before. */
  charge(account: string, time: number): void {
    this.#shareOf(account).spent += time
  }

  /** Calls a function for each waiting item. */
  forEach(visit: (item: T) => void): void {
    for (const { items, head } of this.#shares.values())
      items.slice(head).forEach((item) => visit(item))
  }

  /** Takes all waiting items. */
  clear(): T[] {
    const all = [...this.#shares.values()].flatMap(({ items, head }) => items.slice(head))
    this.#shares.clear()
    this.#size = 0
    return all
  }

  #shareOf(account: string): Share<T> {
    const existing = this.#shares.get(account)
    if (existing !== undefined) {
      if (existing.items.length === existing.head)
        existing.spent = Math.max(existing.spent, this.#floor)
      return existing
    }
    if (this.#shares.size >= MANY) this.#forget()
    const share: Share<T> = { items: [], head: 0, spent: this.#floor }
    this.#shares.set(account, share)
    return share
  }

  /** Removes accounts that would be treated like new ones if they joined again. */
  #forget(): void {
    for (const [account, { items, head, spent }] of this.#shares) {
      if (items.length === head && spent <= this.#floor) this.#shares.delete(account)
    }
  }
}

function firstOf<T>({ items, head }: Share<T>): T | undefined {
  return items[head]
}
