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
