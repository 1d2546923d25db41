import { decodeKey } from '../key.ts'
import type { EncodedCommit } from '../store-encoding.ts'

/** A commit that waits. */
export interface WaitingCommit {
  readonly commit: EncodedCommit
  readonly account: string
  /**
   * True if it uses a key of an earlier commit of another account. Then it comes after all earlier
   * ones. Absent: this is not known yet.
   */
  isBehind?: boolean
}

/** The account of a commit: the first part of the first key that it uses. */
export function accountOf({ checks, sets, deletes, adds }: EncodedCommit): string {
  const key = checks[0]?.key ?? sets[0]?.key ?? deletes[0] ?? adds[0]?.key ?? ''
  return String(decodeKey(key)[0] ?? '')
}

/** Number of keys above which those of commits that no longer wait are forgotten. */
const MANY = 10_000

/**
 * The turns of accounts whose commits wait, so that a thousand commits of one account do not
 * delay those of all others. Commits of one account keep their order, and so do commits that
 * use the same key.
 */
export class CommitTurns {
  /** Accounts that wait and have been served, the least recent first. */
  readonly #served = new Set<string>()
  /** The last account that uses a key, of all commits that were looked at. */
  readonly #owners = new Map<string, string>()
  #mostOwners = MANY

  /**
   * Takes waiting commits, account by account, as long as they fit. `fits` is asked for each before
   * it is taken. A commit that does not fit is the first of its account next time.
   */
  take<W extends WaitingCommit>(
    waiting: readonly W[],
    fits: (commit: EncodedCommit) => boolean,
  ): ReadonlySet<W> {
    this.#findBehind(waiting)
    const lines = new Map<string, W[]>()
    for (const candidate of waiting) {
      const line = lines.get(candidate.account)
      if (line) line.push(candidate)
      else lines.set(candidate.account, [candidate])
    }
    for (const account of this.#served) if (!lines.has(account)) this.#served.delete(account)
    const others = [...lines.keys()].filter((account) => !this.#served.has(account))
    const next = new Set<W>()
    let accounts = [...others, ...this.#served]
    for (let round = 0; accounts.length > 0; round++)
      accounts = accounts.filter((account) => {
        const candidate = lines.get(account)?.[round]
        if (candidate === undefined || (candidate.isBehind === true && candidate !== waiting[0]))
          return false
        if (!fits(candidate.commit)) return false
        next.add(candidate)
        this.#served.delete(account)
        this.#served.add(account)
        return true
      })
    return next
  }

  /** Looks at each commit once, in the order of the calls. */
  #findBehind(waiting: readonly WaitingCommit[]): void {
    if (waiting[0]?.isBehind === undefined || this.#owners.size > this.#mostOwners) {
      this.#owners.clear()
      for (const candidate of waiting)
        if (candidate.isBehind !== undefined) this.#isBehind(candidate)
      this.#mostOwners = MANY + 2 * this.#owners.size
    }
    for (const candidate of waiting) candidate.isBehind ??= this.#isBehind(candidate)
  }

  #isBehind({ account, commit }: WaitingCommit): boolean {
    let isBehind = false
    for (const key of keysOf(commit)) {
      if ((this.#owners.get(key) ?? account) !== account) isBehind = true
      this.#owners.set(key, account)
    }
    return isBehind
  }
}

function keysOf({ checks, sets, deletes, adds }: EncodedCommit): string[] {
  return [...checks, ...sets, ...adds].map(({ key }) => key).concat(deletes)
}
