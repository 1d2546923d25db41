import { dayOf } from '../../features/common/time.ts'
import type { DailyCaps, Share } from '../../features/ledger/daily-cap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Stored } from '../../records/collection.ts'
import { retryFailures } from '../../records/retry.ts'
import type { ProgressRecord } from '../../features/executions/records.ts'

/** Least number of credits to ask for at a time. */
const CHUNK = 100

export interface AllowanceOptions {
  readonly ledger: DailyCaps
  readonly clock: Clock
  readonly account: string
  readonly execution: string
  /** Maximum price of a page. */
  readonly price: number
  /** Pages at the same time. */
  readonly concurrency: number
  /** The counters as of the last commit. */
  readonly progress: () => Stored<ProgressRecord>
}

/**
 * The share of an account's daily cap that a run may spend. The run asks for more before it needs
 * them, while pages are in flight. A page counts for the day on which it started: at midnight the
 * run commits all pages in flight before it continues on the new day.
 */
export class Allowance {
  readonly #options: AllowanceOptions
  #share: Share
  /** The run's credit count when the day had no more credits. `null`: the day may have more. */
  #deniedAt: number | null = null
  #asking: Promise<void> | null = null
  #error: { readonly cause: unknown } | null = null

  private constructor(options: AllowanceOptions, share: Share) {
    this.#options = options
    this.#share = share
  }

  /**
   * Returns `null` if the account has no cap or pages cost nothing. A cap that is set during an
   * execution applies from the next one.
   */
  static async open(options: AllowanceOptions): Promise<Allowance | null> {
    if (options.price === 0) return null
    const share = await take(options, options.progress().value.credits, null)
    return share === null ? null : new Allowance(options, share)
  }

  /** True if a run that has `credits` in use may start another page. */
  covers(credits: number): boolean {
    return (
      this.#share === null ||
      (credits + this.#options.price <= this.#share.until && !this.#isOver())
    )
  }

  /** True if the day has no more credits for this run. Ask only when no page is in flight. */
  spent(credits: number): boolean {
    return this.#deniedAt === credits && !this.covers(credits) && !this.#isOver()
  }

  /**
   * Asks for more credits when they are needed, and calls `then` with the answer in place.
   * `isIdle`: no page is in flight or waits for a commit.
   *
   * @throws the store's error from the last request
   */
  ask(credits: number, isIdle: boolean, then: () => void): void {
    if (this.#error) throw this.#error.cause
    if (this.#asking || !this.#isWanted(credits, isIdle)) return
    const before = this.#isOver() ? null : this.#share
    this.#asking = take(this.#options, credits, before)
      .then((share) => {
        const isDenied = share !== null && share.until === (before?.until ?? credits)
        this.#deniedAt = isDenied ? credits : null
        this.#share = share
      })
      .catch((cause: unknown) => void (this.#error = { cause }))
      .finally(() => {
        this.#asking = null
        then()
      })
  }

  /** Resolves when no request to the ledger is open. */
  async settled(): Promise<void> {
    await this.#asking
  }

  #isWanted(credits: number, isIdle: boolean): boolean {
    if (this.#share === null) return false
    if (this.#isOver()) return isIdle
    if (this.#deniedAt === null)
      return (
        this.#share.until - credits <
        Math.max(CHUNK / 2, this.#options.concurrency * this.#options.price)
      )
    // Other runs may have returned credits, and this run's pages may have cost less than the
    // maximum.
    return isIdle && this.#deniedAt !== credits && !this.covers(credits)
  }

  #isOver(): boolean {
    return this.#share !== null && dayOf(this.#options.clock.now()) !== this.#share.day
  }
}

/**
 * Asks the ledger for credits, with retries. A retry is safe: the ledger answers with the
 * execution's whole share, whichever attempt succeeded.
 */
async function take(
  { ledger, clock, account, execution, price, concurrency, progress }: AllowanceOptions,
  credits: number,
  share: Share,
): Promise<Share> {
  const left = (share?.until ?? credits) - credits
  return retryFailures(clock, () =>
    ledger.takeShare(
      account,
      execution,
      progress(),
      {
        least: Math.max(1, price - Math.max(0, left)),
        most: Math.max(CHUNK, 2 * concurrency * price),
      },
      clock.now(),
    ),
  )
}
