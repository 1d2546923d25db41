import { dayOf } from '../../features/common/time.ts'
import type { DailyCaps, Share } from '../../features/ledger/daily-cap.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Stored } from '../../records/collection.ts'
import type { ProgressRecord } from '../../features/executions/records.ts'

/** Credits that are asked for at a time, at least. */
const CHUNK = 100
const TRIES = 3
const RETRY_MS = 200

/** What an {@link Allowance} works with. */
export interface AllowanceOptions {
  readonly ledger: DailyCaps
  readonly clock: Clock
  readonly account: string
  readonly execution: string
  /** The most that a page can cost. */
  readonly price: number
  /** Pages at the same time. */
  readonly concurrency: number
  /** The counters as of the last commit. */
  readonly progress: () => Stored<ProgressRecord>
}

/**
 * What a run may spend of its account's daily cap. It is asked for ahead of need, while pages are
 * under way. A page counts for the day on which it was taken up: at midnight the run lets what is
 * under way come to its commit before it goes on with the new day.
 */
export class Allowance {
  readonly #options: AllowanceOptions
  #share: Share
  /** Credits of which the day had no more to give, by the run's count; `null`: it may have. */
  #deniedAt: number | null = null
  #asking: Promise<void> | null = null
  #error: { readonly cause: unknown } | null = null

  private constructor(options: AllowanceOptions, share: Share) {
    this.#options = options
    this.#share = share
  }

  /**
   * `null`: the account has no cap, or pages cost nothing. An account that is given a cap meanwhile
   * keeps to it from its next execution on.
   */
  static async open(options: AllowanceOptions): Promise<Allowance | null> {
    if (options.price === 0) return null
    const share = await take(options, options.progress().value.credits, null)
    return share === null ? null : new Allowance(options, share)
  }

  /** Whether another page may be taken up, by a run that has taken up `credits` so far. */
  covers(credits: number): boolean {
    return (
      this.#share === null ||
      (credits + this.#options.price <= this.#share.until && !this.#isOver())
    )
  }

  /** Whether the day's credits are used up for this run, which has nothing under way. */
  spent(credits: number): boolean {
    return this.#deniedAt === credits && !this.covers(credits) && !this.#isOver()
  }

  /**
   * Asks for more where it is time to; `then` is called when the answer is there. `isIdle`: nothing
   * is under way or waits for a commit.
   *
   * @throws what the store has thrown
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

  /** Resolves when nothing is under way any more. */
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
    // Others may have given some back, and pages of one's own may have cost less than they could
    // have.
    return isIdle && this.#deniedAt !== credits && !this.covers(credits)
  }

  #isOver(): boolean {
    return this.#share !== null && dayOf(this.#options.clock.now()) !== this.#share.day
  }
}

/**
 * Asks the ledger, again where the answer is lost: it says what the execution has, whichever of the
 * attempts came through.
 */
async function take(
  { ledger, clock, account, execution, price, concurrency, progress }: AllowanceOptions,
  credits: number,
  share: Share,
): Promise<Share> {
  const left = (share?.until ?? credits) - credits
  for (let attempt = 1; ; attempt++) {
    try {
      return await ledger.takeShare(
        account,
        execution,
        progress(),
        {
          least: Math.max(1, price - Math.max(0, left)),
          most: Math.max(CHUNK, 2 * concurrency * price),
        },
        clock.now(),
      )
    } catch (error) {
      if (attempt === TRIES) throw error
      await clock.sleep(RETRY_MS * attempt)
    }
  }
}
