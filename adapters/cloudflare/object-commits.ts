import { accountOf, CommitTurns } from '../../src/kernel/fair/commit-turns.ts'
import type { WaitingCommit } from '../../src/kernel/fair/commit-turns.ts'
import { nextTurn } from '../../src/kernel/pace.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import { TurnBudget } from '../common/turn-budget.ts'

/** Maximum number of entries that are written in one turn of the event loop. */
const MOST_WRITES = 1_000

interface Waiting extends WaitingCommit {
  readonly resolve: (isWritten: boolean) => void
  readonly reject: (error: unknown) => void
}

/** Calls a function in the next turn of the event loop. */
export function later(run: () => void): void {
  void nextTurn().then(run)
}

/**
 * The commits of a Durable Object. Its storage writes within the call, so an account that writes
 * without a pause would hold the object. So the number of entries in a turn of the event loop is
 * limited. Further commits run in later turns, and accounts take turns.
 */
export class ObjectCommits {
  readonly #write: (commit: EncodedCommit) => boolean
  readonly #budget = new TurnBudget(MOST_WRITES, () => this.#serve(), later)
  readonly #turns = new CommitTurns()
  #waiting: Waiting[] = []

  /** `write`: writes a commit at once; `false`: a check failed. */
  constructor(write: (commit: EncodedCommit) => boolean) {
    this.#write = write
  }

  async add(commit: EncodedCommit): Promise<boolean> {
    if (this.#waiting.length === 0 && !this.#budget.isFull) return this.#run(commit)
    this.#budget.watch()
    return new Promise((resolve, reject) => {
      this.#waiting.push({ commit, account: accountOf(commit), resolve, reject })
    })
  }

  #run(commit: EncodedCommit): boolean {
    this.#budget.add(entriesOf(commit))
    return this.#write(commit)
  }

  #serve(): void {
    if (this.#waiting.length === 0) return
    let left = MOST_WRITES
    const next = this.#turns.take(this.#waiting, (commit) => {
      const isFirst = left === MOST_WRITES
      const entries = entriesOf(commit)
      // A commit that is larger than a turn has one of its own.
      if (entries > left && !isFirst) return false
      left -= entries
      return true
    })
    const served = this.#waiting.filter((waiting) => next.has(waiting))
    this.#waiting = this.#waiting.filter((waiting) => !next.has(waiting))
    for (const { commit, resolve, reject } of served) {
      try {
        resolve(this.#run(commit))
      } catch (error) {
        reject(error)
      }
    }
    if (this.#waiting.length > 0) this.#budget.watch()
  }
}

/** At least one, because a commit that only checks takes time too. */
function entriesOf({ sets, deletes, adds }: EncodedCommit): number {
  return 1 + sets.length + deletes.length + adds.length
}
