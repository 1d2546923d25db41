import { PlatformError } from '../errors.ts'

/** How much may be under way, and how much may wait. */
export interface FairGateOptions {
  /** What is shared, in the plural: `previews`. For messages. */
  readonly name: string
  /** Places in all. */
  readonly places: number
  /** Places that one account may have; fewer than `places`, so that one alone cannot hold them all. */
  readonly each: number
  /** How many of one account may wait; those beyond are refused. 0: nobody waits. */
  readonly waiting: number
}

const hasLeft = (): PlatformError =>
  new PlatformError('SERVICE_UNAVAILABLE', 'The caller left before its turn came')

/** One who waits. */
interface Waiter {
  readonly enter: () => void
}

/** The part of an account. */
interface Share {
  readonly account: string
  held: number
  each: number
  readonly waiters: Set<Waiter>
}

/**
 * Places that accounts share: whoever waits gets one in the order of the call within its account,
 * and accounts take turns. An account that has as many as it may is passed over until it gives one
 * back. Of this process alone.
 */
export class FairGate {
  readonly #options: FairGateOptions
  readonly #shares = new Map<string, Share>()
  /** Accounts that wait and may have a place, whose turn it is first. */
  readonly #turns = new Set<Share>()
  #held = 0

  constructor(options: FairGateOptions) {
    if (options.places < 1 || options.each < 1)
      throw new RangeError(`${options.name}: places and each must be 1 or more`)
    this.#options = options
  }

  /** Places that are taken. */
  get held(): number {
    return this.#held
  }

  /**
   * Waits for a place, and gives the function that frees it; calling that again does nothing.
   * `each` replaces the option, where a plan says so; `null`: as many as there are.
   *
   * @throws {PlatformError} 429 where too many of the account wait, or none may; 503 where `signal`
   *   aborts first, which nobody reads
   */
  async enter(
    account: string,
    {
      signal,
      each = this.#options.each,
    }: { readonly signal?: AbortSignal | undefined; readonly each?: number | null } = {},
  ): Promise<() => void> {
    if (signal?.aborted) throw hasLeft()
    const share = this.#shareOf(account)
    share.each = each ?? Infinity
    if (this.#held >= this.#options.places || share.held >= share.each)
      await this.#wait(share, signal)
    else this.#take(share)
    let left = false
    return () => {
      if (left) return
      left = true
      this.#leave(share)
    }
  }

  /** Does work in a place. */
  async run<T>(account: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(account, { signal })
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #shareOf(account: string): Share {
    const known = this.#shares.get(account)
    if (known) return known
    const share: Share = { account, held: 0, each: this.#options.each, waiters: new Set() }
    this.#shares.set(account, share)
    return share
  }

  #wait(share: Share, signal: AbortSignal | undefined): Promise<void> {
    if (share.waiters.size >= this.#options.waiting) {
      const { held } = share
      this.#forget(share)
      throw this.#refusal(held, share.each)
    }
    return new Promise((resolve, reject) => {
      const end = (): void => {
        share.waiters.delete(waiter)
        signal?.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        enter: () => {
          end()
          resolve()
        },
      }
      const abort = (): void => {
        end()
        if (share.waiters.size === 0) this.#turns.delete(share)
        this.#forget(share)
        reject(hasLeft())
      }
      signal?.addEventListener('abort', abort)
      share.waiters.add(waiter)
      if (share.held < share.each) this.#turns.add(share)
    })
  }

  #take(share: Share): void {
    share.held++
    this.#held++
  }

  #leave(share: Share): void {
    share.held--
    this.#held--
    if (share.waiters.size > 0) this.#turns.add(share)
    this.#admit()
    this.#forget(share)
  }

  /** Gives free places to those whose turn it is. */
  #admit(): void {
    for (const share of this.#turns) {
      if (this.#held >= this.#options.places) return
      const [first] = share.waiters
      // Its next turn comes after those of all others.
      this.#turns.delete(share)
      if (!first || share.held >= share.each) continue
      this.#take(share)
      first.enter()
      if (share.waiters.size > 0 && share.held < share.each) this.#turns.add(share)
    }
  }

  #forget(share: Share): void {
    if (share.held === 0 && share.waiters.size === 0) this.#shares.delete(share.account)
  }

  #refusal(held: number, each: number): PlatformError {
    const { name, waiting, places } = this.#options
    const own =
      held >= each
        ? `The account already has ${held} ${name} at the same time, which is its limit`
        : `All ${places} ${name} that run at the same time are taken`
    const queue = waiting === 0 ? '' : `, and ${waiting} more wait`
    return new PlatformError(
      'TOO_MANY_REQUESTS',
      `${own}${queue}: wait until some of them have ended, and try again`,
      { headers: { 'Retry-After': '5' } },
    )
  }
}
