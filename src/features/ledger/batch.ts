import { Change } from '../../records/change.ts'
import type { AccountSessionOptions } from './account-session.ts'
import { Drafts } from '../../records/drafts.ts'
import type { DayRecord } from './records.ts'
import type { HealthRecord } from '../schedules/records.ts'
import { AccountSession } from './account-session.ts'

/** What one execution adds to a commit that it may share with others. */
export interface Part {
  readonly execution: string
  /** Unix milliseconds. */
  readonly now: number
  /**
   * Reads what it needs, at the same time as the others; the answer then adds to the commit,
   * without waiting, after those before it.
   */
  read(batch: Batch): Promise<(change: Change) => void>
}

interface Asked {
  readonly part: Part
  readonly resolve: (written: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Parts of one commit. */
const MOST = 16

/**
 * Commits what waits for an account's turn together: one turn, one read of the money, one commit
 * for all. A part that cannot be read is refused by itself; where the commit meets another one,
 * each half is worked out again, so that one which cannot be written keeps nobody else from it.
 */
export class BatchWriter {
  readonly #options: AccountSessionOptions
  readonly #alone: <T>(account: string, work: () => Promise<T>) => Promise<T>
  readonly #waiting = new Map<string, Asked[]>()

  constructor(
    options: AccountSessionOptions,
    alone: <T>(account: string, work: () => Promise<T>) => Promise<T>,
  ) {
    this.#options = options
    this.#alone = alone
  }

  /** `false`: something had changed meanwhile, and nothing of the part was written. */
  join(account: string, part: Part): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const asked = { part, resolve, reject }
      const waiting = this.#waiting.get(account)
      if (waiting) waiting.push(asked)
      else this.#call(account, [asked])
    })
  }

  /** Asks for a turn, at which those are dealt with who wait by then. */
  #call(account: string, waiting: Asked[]): void {
    this.#waiting.set(account, waiting)
    void this.#alone(account, () => {
      this.#waiting.delete(account)
      const { now, later } = choose(waiting)
      if (later.length > 0) this.#call(account, later)
      return this.#sit(account, now)
    })
  }

  /** Gives every part its answer; never throws. */
  async #sit(account: string, asked: readonly Asked[]): Promise<void> {
    if (asked.length === 0) return
    const { records } = this.#options
    const batch = new Batch(this.#options, account, Math.max(...asked.map(({ part }) => part.now)))
    const read = await Promise.allSettled(asked.map(async ({ part }) => part.read(batch)))
    const present = asked.flatMap((one, at) => {
      const outcome = read[at]
      if (outcome?.status === 'fulfilled') return [{ ...one, enter: outcome.value }]
      one.reject(outcome?.reason)
      return []
    })
    const change = new Change()
    for (const one of present) {
      try {
        one.enter(change)
      } catch (error) {
        one.reject(error)
        // It may have left something behind in what they share.
        return this.#sit(
          account,
          present.filter((other) => other !== one),
        )
      }
    }
    try {
      batch.write(change)
      const written = change.size === 0 || (await records.commit(change))
      if (written || present.length === 1) for (const { resolve } of present) resolve(written)
      else for (const half of halves(present)) await this.#sit(account, half)
    } catch (error) {
      for (const { reject } of present) reject(error)
    }
  }
}

/**
 * The first that can share a commit: of an execution one at a time, as its parts would change the
 * same records.
 */
function choose(waiting: readonly Asked[]): { now: Asked[]; later: Asked[] } {
  const executions = new Set<string>()
  const now: Asked[] = []
  const later: Asked[] = []
  for (const asked of waiting) {
    const { execution } = asked.part
    if (now.length === MOST || executions.has(execution)) later.push(asked)
    else now.push(asked)
    executions.add(execution)
  }
  return { now, later }
}

function halves<T>(all: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(all.length / 2)
  return [all.slice(0, middle), all.slice(middle)]
}

/**
 * What executions of one account that end, or want credits of the day, in one commit have in
 * common: the account's money, its days, what is usual for its tasks. Each is read once. Whoever
 * reads may wait; what is read is then changed without waiting, so that the next one sees it.
 */
export class Batch {
  readonly account: string
  /** Unix milliseconds; of all who take part, the latest. */
  readonly now: number
  readonly days: Drafts<DayRecord>
  readonly health: Drafts<HealthRecord>
  readonly #options: AccountSessionOptions
  #opening: Promise<AccountSession> | null = null
  #book: AccountSession | null = null

  constructor(options: AccountSessionOptions, account: string, now: number) {
    this.#options = options
    this.account = account
    this.now = now
    this.days = new Drafts(options.records.days, account)
    this.health = new Drafts(options.records.health, account)
  }

  /** The account's money, which the commit then depends on. */
  book(): Promise<AccountSession> {
    return (this.#opening ??= AccountSession.open(this.#options, this.account, this.now).then(
      (session) => (this.#book = session),
    ))
  }

  /** Adds what those who took part have made of it all to a commit. */
  write(change: Change): void {
    this.#book?.write(change)
    this.days.write(change)
    this.health.write(change)
  }
}
