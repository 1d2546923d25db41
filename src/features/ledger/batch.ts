import { Change } from '../../records/change.ts'
import type { AccountSessionOptions } from './account-session.ts'
import { Drafts } from '../../records/drafts.ts'
import type { DayRecord } from './records.ts'
import type { HealthRecord } from '../schedules/records.ts'
import { AccountSession } from './account-session.ts'

/** An execution's part of a commit that other executions may share. */
export interface Part {
  readonly execution: string
  /** Unix milliseconds. */
  readonly now: number
  /**
   * Reads what the part needs, in parallel with the other parts. The returned function adds the
   * part to the commit synchronously, after the parts before it.
   */
  read(batch: Batch): Promise<(change: Change) => void>
}

interface JoinedPart {
  readonly part: Part
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Limit on the parts of one commit. */
const MOST = 16

/**
 * Group commit: commits the waiting parts of an account together, with one read of the money and
 * one commit. A part whose read fails is rejected alone. If the commit conflicts with another one,
 * each half is computed again, so that a part that cannot be written does not block the others.
 */
export class BatchWriter {
  readonly #options: AccountSessionOptions
  readonly #alone: <T>(account: string, work: () => Promise<T>) => Promise<T>
  readonly #waiting = new Map<string, JoinedPart[]>()

  constructor(
    options: AccountSessionOptions,
    alone: <T>(account: string, work: () => Promise<T>) => Promise<T>,
  ) {
    this.#options = options
    this.#alone = alone
  }

  /**
   * Adds a part to the next batch. `false`: a record changed in the meantime, and nothing of the
   * part was written.
   */
  join(account: string, part: Part): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const joined = { part, resolve, reject }
      const waiting = this.#waiting.get(account)
      if (waiting) waiting.push(joined)
      else this.#call(account, [joined])
    })
  }

  /** Queues a batch for the account. It takes the parts that wait when its turn comes. */
  #call(account: string, waiting: JoinedPart[]): void {
    this.#waiting.set(account, waiting)
    void this.#alone(account, () => {
      this.#waiting.delete(account)
      const { now, later } = choose(waiting)
      if (later.length > 0) this.#call(account, later)
      return this.#settle(account, now)
    })
  }

  /** Settles the promise of every part. Never throws. */
  async #settle(account: string, parts: readonly JoinedPart[]): Promise<void> {
    if (parts.length === 0) return
    const { records } = this.#options
    const batch = new Batch(this.#options, account, Math.max(...parts.map(({ part }) => part.now)))
    const read = await Promise.allSettled(parts.map(async ({ part }) => part.read(batch)))
    const present = parts.flatMap((joined, index) => {
      const outcome = read[index]
      if (outcome?.status === 'fulfilled') return [{ ...joined, enter: outcome.value }]
      joined.reject(outcome?.reason)
      return []
    })
    const change = new Change()
    for (const joined of present) {
      try {
        joined.enter(change)
      } catch (error) {
        joined.reject(error)
        // A part that threw may have left changes in the shared state, so the other parts start
        // again.
        return this.#settle(
          account,
          present.filter((other) => other !== joined),
        )
      }
    }
    try {
      batch.write(change)
      const isWritten = change.size === 0 || (await records.commit(change))
      if (isWritten || present.length === 1) for (const { resolve } of present) resolve(isWritten)
      else for (const half of halves(present)) await this.#settle(account, half)
    } catch (error) {
      for (const { reject } of present) reject(error)
    }
  }
}

/**
 * Chooses the first parts that can share a commit. Parts of the same execution cannot, because they
 * change the same records.
 */
function choose(waiting: readonly JoinedPart[]): { now: JoinedPart[]; later: JoinedPart[] } {
  const executions = new Set<string>()
  const now: JoinedPart[] = []
  const later: JoinedPart[] = []
  for (const joined of waiting) {
    const { execution } = joined.part
    if (now.length === MOST || executions.has(execution)) later.push(joined)
    else now.push(joined)
    executions.add(execution)
  }
  return { now, later }
}

function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/**
 * The shared state of one commit of several executions of an account that end, or that want credits
 * of the day: the account's money, its days, and the usual values of its tasks. Each is read once.
 * Reads may be asynchronous. Changes are synchronous, so that the next part sees them.
 */
export class Batch {
  readonly account: string
  /** Unix milliseconds: the latest of all parts. */
  readonly now: number
  readonly days: Drafts<DayRecord>
  readonly health: Drafts<HealthRecord>
  readonly #options: AccountSessionOptions
  #opening: Promise<AccountSession> | null = null
  #session: AccountSession | null = null

  constructor(options: AccountSessionOptions, account: string, now: number) {
    this.#options = options
    this.account = account
    this.now = now
    this.days = new Drafts(options.records.days, account)
    this.health = new Drafts(options.records.health, account)
  }

  /** The account's money. The commit depends on it from then on. */
  session(): Promise<AccountSession> {
    return (this.#opening ??= AccountSession.open(this.#options, this.account, this.now).then(
      (session) => (this.#session = session),
    ))
  }

  /** Adds the changes of all parts to a commit. */
  write(change: Change): void {
    this.#session?.write(change)
    this.days.write(change)
    this.health.write(change)
  }
}
