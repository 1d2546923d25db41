import { accountOf, CommitTurns, type WaitingCommit } from '../../src/kernel/fair/commit-turns.ts'
import type { EncodedCommit } from '../../src/kernel/store-encoding.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { Claims } from './claims.ts'
import { groupParameters } from './group-parameters.ts'
import type { GroupParameters } from './group-parameters.ts'
import { isOfCounter, isOfData, isPassing } from './refusals.ts'
import { SWEEP } from './statements.ts'
import type { GroupOutcome } from './statements.ts'

/** Limits of a group. A larger commit is sent alone. */
const COMMITS = 200
const WRITES = 5_000
const TRIES = 8
const PAUSE_MS = 5
const SWEEP_EVERY_MS = 1_000

/** The statements on the database, once it is ready. */
export interface CommitStatements {
  commit(parameters: GroupParameters, now: number): Promise<GroupOutcome>
  sweep(now: number): Promise<number>
}

interface Waiting extends WaitingCommit {
  /** Counts the calls. */
  readonly number: number
  readonly resolve: (versions: boolean) => void
  readonly reject: (error: unknown) => void
}

/**
 * Sends commits in groups, each one round trip and one transaction: commits that arrive while
 * others are in progress are sent with the next group. A commit waits for earlier ones that use its
 * keys, unless both only add to a counter. So the order of the calls is kept. If not all fit into a
 * group, accounts take turns.
 */
export class CommitGroups {
  readonly #statements: CommitStatements
  readonly #clock: Pick<Clock, 'now'>
  readonly #most: number
  #waiting: Waiting[] = []
  readonly #flying = new Map<Promise<void>, Claims>()
  readonly #turns = new CommitTurns()
  #calls = 0
  #gathering = false
  #sweptAt = Number.NEGATIVE_INFINITY

  /** `most`: groups under way at the same time. */
  constructor(statements: CommitStatements, clock: Pick<Clock, 'now'>, most: number) {
    this.#statements = statements
    this.#clock = clock
    this.#most = most
  }

  add(commit: EncodedCommit): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const [number, account] = [this.#calls++, accountOf(commit)]
      this.#waiting.push({ number, account, commit, isBehind: false, resolve, reject })
      if (this.#gathering) return
      this.#gathering = true
      // One microtask later, so that commits made in the same tick come along.
      queueMicrotask(() => {
        this.#gathering = false
        this.#launch()
      })
    })
  }

  /** Resolves when every commit so far has its answer. */
  async idle(): Promise<void> {
    while (this.#waiting.length > 0 || this.#flying.size > 0)
      await (this.#flying.size > 0 ? Promise.race(this.#flying.keys()) : Promise.resolve())
  }

  #launch(): void {
    while (this.#waiting.length > 0 && this.#flying.size < this.#most) {
      const { group, claims } = this.#take()
      if (group.length === 0) return
      const flight = this.#send(group)
        .then(() => this.#sweep())
        .finally(() => {
          this.#flying.delete(flight)
          this.#launch()
        })
      this.#flying.set(flight, claims)
    }
  }

  /** Takes commits that conflict with no running commit and not with one another. */
  #take(): { group: Waiting[]; claims: Claims } {
    const free: Waiting[] = []
    const earlier = new Claims()
    const under = [...this.#flying.values()]
    for (const waiting of this.#waiting) {
      const { commit } = waiting
      if (!earlier.conflictsWith(commit) && !under.some((flying) => flying.conflictsWith(commit)))
        free.push(waiting)
      earlier.add(commit)
    }
    let commits = 0
    let writes = 0
    const next = this.#turns.take(free, ({ checks, sets, deletes, adds }) => {
      const size = checks.length + sets.length + deletes.length + adds.length
      if (commits > 0 && (commits === COMMITS || writes + size > WRITES)) return false
      commits++
      writes += size
      return true
    })
    const group = free.filter((waiting) => next.has(waiting))
    const claims = new Claims()
    for (const { commit } of group) claims.add(commit)
    this.#waiting = this.#waiting.filter((waiting) => !next.has(waiting))
    return { group, claims }
  }

  /**
   * Never rejects. If the checks of some commits fail, nothing of the group is written, and the
   * other commits are sent again.
   */
  async #send(group: readonly Waiting[]): Promise<void> {
    let rest = group
    try {
      while (rest.length > 0) {
        const sentAt = this.#calls
        const outcome = await this.#write(rest.map(({ commit }) => commit))
        if ('version' in outcome) {
          for (const { resolve } of rest) resolve(true)
          this.#refuseLate(rest, sentAt, outcome.version)
          return
        }
        const { refused } = outcome
        rest.forEach(({ resolve }, i) => refused.has(i) && resolve(false))
        rest = rest.filter((_, i) => !refused.has(i))
      }
    } catch (error) {
      const [only] = rest
      if (rest.length > 1 && isOfData(error))
        for (const waiting of rest) await this.#send([waiting])
      else if (only && isOfCounter(error) && only.commit.adds.length > 0)
        only.reject(new TypeError('A counter can only be added to a number', { cause: error }))
      else for (const { reject } of rest) reject(error)
    }
  }

  /** Writes all of them, or returns which of them have failed checks. */
  async #write(
    commits: readonly EncodedCommit[],
  ): Promise<{ version: string } | { refused: ReadonlySet<number> }> {
    const unknown = commits.flatMap(({ checks }, i) =>
      checks.some(({ version }) => version !== null && !isVersion(version)) ? [i] : [],
    )
    if (unknown.length > 0) return { refused: new Set(unknown) }
    const parameters = groupParameters(commits)
    for (let tried = 1; ; tried++) {
      try {
        const outcome = await this.#statements.commit(parameters, this.#clock.now())
        if ('version' in outcome) return outcome
        const owners = commits.flatMap(({ checks }, i) => checks.map(() => i))
        return { refused: new Set(outcome.stale.map((position) => owners[position] ?? 0)) }
      } catch (error) {
        if (!isPassing(error) || tried === TRIES) throw error
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * 2 ** tried))
      }
    }
  }

  /**
   * Answers commits that waited when a group was sent, if the group has made their checks fail. So
   * if many commits compete for a key, only one has to be sent. Commits that came later may know
   * the new version, so they are sent.
   */
  #refuseLate(group: readonly Waiting[], sentAt: number, version: string): void {
    if (this.#waiting.length === 0) return
    const versions = new Map<string, string | null>()
    for (const { commit } of group) {
      for (const { key, expiresAt } of commit.sets)
        if (expiresAt === null) versions.set(key, version)
      for (const key of commit.deletes) versions.set(key, null)
    }
    const isLate = ({ key, version: expected }: EncodedCommit['checks'][number]) => {
      const is = versions.get(key)
      return is !== undefined && is !== expected
    }
    this.#waiting = this.#waiting.filter(({ number, commit, resolve }) => {
      const late = number < sentAt && commit.checks.some(isLate)
      if (late) resolve(false)
      return !late
    })
  }

  async #sweep(): Promise<void> {
    const now = this.#clock.now()
    if (now - this.#sweptAt < SWEEP_EVERY_MS) return
    this.#sweptAt = now
    try {
      // A full batch means that more entries have expired, so the next group continues.
      if ((await this.#statements.sweep(now)) === SWEEP) this.#sweptAt = Number.NEGATIVE_INFINITY
    } catch {
      // An error is ignored: nobody waits for this deletion, and the next one does the same.
    }
  }
}

/** True if the database can have made this version: a positive bigint. */
function isVersion(version: string): boolean {
  return /^[1-9]\d{0,17}$/.test(version)
}
