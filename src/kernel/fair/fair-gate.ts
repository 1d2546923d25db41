import { PlatformError } from '../errors.ts'

/** Options of a {@link FairGate}. */
export interface FairGateOptions {
  /** Plural name of the shared resource, such as `previews`, for messages. */
  readonly name: string
  /** Number of places. */
  readonly places: number
  /**
   * Maximum number of places of one account. It is less than `places`, so that no account holds all
   * of them.
   */
  readonly each: number
  /** Number of callers of one account that may wait. Further callers are refused. 0: nobody waits. */
  readonly waiting: number
}

const hasLeft = (): PlatformError => new PlatformError('BAD_REQUEST', 'The caller left')

/** A waiting caller. */
interface Waiter {
  readonly enter: () => void
}

/** The state of one account. */
interface Share {
  readonly account: string
  held: number
  each: number
  readonly waiters: Set<Waiter>
}

/**
 * A semaphore that accounts share. Within an account callers get a place in the order of their
 * calls, and accounts take turns. An account that holds its limit is skipped until it returns a
 * place. The gate belongs to one process.
 */
export class FairGate {
  readonly #options: FairGateOptions
  readonly #shares = new Map<string, Share>()
  /** Accounts that wait and are below their limit, in the order of their turns. */
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
   * Waits for a place and returns the function that frees it; a second call does nothing. `each`
   * replaces the option for an account whose plan sets it; `null`: no limit.
   *
   * @throws {PlatformError} 429 if too many callers of the account wait, or no caller may wait; 400 if
   *   `signal` aborts first (no caller is left to read it)
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

  /** Runs work while holding a place. */
  async run<T>(account: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const leave = await this.enter(account, { signal })
    try {
      return await work()
    } finally {
      leave()
    }
  }

  #shareOf(account: string): Share {
    const existing = this.#shares.get(account)
    if (existing) return existing
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

  /** Gives free places to the accounts whose turn it is. */
  #admit(): void {
    for (const share of this.#turns) {
      if (this.#held >= this.#options.places) return
      const [first] = share.waiters
      // The account goes to the end of the turns.
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
    const reason =
      held >= each
        ? `The account already has ${held} ${name} at the same time, which is its limit`
        : `The maximum of ${places} ${name} at the same time is reached`
    const queue = waiting === 0 ? '' : `, and ${waiting} more wait`
    return new PlatformError(
      'TOO_MANY_REQUESTS',
      `${reason}${queue}: wait until some of them have ended, and try again`,
      { headers: { 'Retry-After': '5' } },
    )
  }
}
