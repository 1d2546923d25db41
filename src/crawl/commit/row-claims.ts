import type { Clock } from '../../ports/clock.ts'
import { Pace } from '../../kernel/pace.ts'
import { Change } from '../../records/change.ts'
import { retryFailures } from '../../records/retry.ts'
import type { Records } from '../../features/records.ts'
import type { SeenRecord } from '../../features/executions/records.ts'
import { Overtaken } from './fence.ts'

/** Keys that are read at once, or written in one commit. */
const AT_ONCE = 1_000

/** What {@link RowClaims} works on. */
export interface RowClaimsOptions {
  readonly records: Records
  readonly clock: Clock
  readonly account: string
  readonly execution: string
}

/**
 * The keys of rows that an execution has, where rows must be unique. A page may have 50,000 rows,
 * too many for one commit: most of their keys are then claimed in commits of their own, before the
 * commit that settles the page. A claim names that commit, and counts once the commit is made,
 * which leaves a record of its own name. So a worker that dies in between leaves claims that hide
 * no row, even if the page has other rows when it is fetched again.
 */
export class RowClaims {
  readonly #options: RowClaimsOptions
  readonly #pace: Pace

  constructor(options: RowClaimsOptions, pace = new Pace()) {
    this.#options = options
    this.#pace = pace
  }

  /** Those of the keys that no settled page has. */
  async unseen(keys: Iterable<string>): Promise<Set<string>> {
    const { records, account, execution } = this.#options
    const fresh = new Set(keys)
    const asked = [...fresh]
    const claimed: SeenRecord[] = []
    for (let at = 0; at < asked.length; at += AT_ONCE) {
      const ids = asked.slice(at, at + AT_ONCE).map((key) => [execution, key])
      for (const record of await records.seenRows.getMany(account, ids)) {
        if (record === null) continue
        if (record.value.by === undefined) fresh.delete(record.value.identity)
        else claimed.push(record.value)
      }
      await this.#pace.step()
    }
    if (claimed.length === 0) return fresh
    const commits = [...new Set(claimed.flatMap(({ by }) => (by === undefined ? [] : [by])))]
    const made = await records.seenRows.getMany(
      account,
      commits.map((commit) => [execution, commit]),
    )
    const settled = new Set(made.map((record) => record?.value.identity))
    for (const { identity, by } of claimed) if (settled.has(by)) fresh.delete(identity)
    return fresh
  }

  /**
   * Claims keys for a commit, as long as there are too many for it. `guard` makes each claim depend
   * on what that commit will depend on.
   *
   * @returns the keys that are left for the commit; its name is among them if any were claimed
   * @throws {Overtaken}
   */
  async claim(
    keys: readonly string[],
    commit: string,
    guard: (change: Change) => void,
  ): Promise<readonly string[]> {
    let at = 0
    for (; keys.length - at > AT_ONCE; at += AT_ONCE) {
      await this.#write(keys.slice(at, at + AT_ONCE), commit, guard)
      await this.#pace.step()
    }
    return at === 0 ? keys : [...keys.slice(at), commit]
  }

  /** A claim that is written twice is the same claim. */
  async #write(
    keys: readonly string[],
    by: string,
    guard: (change: Change) => void,
  ): Promise<void> {
    const { records, account, execution, clock } = this.#options
    const isWritten = await retryFailures(clock, () => {
      const change = new Change()
      guard(change)
      for (const identity of keys)
        records.seenRows.put(change, account, { execution, identity, by })
      return records.commit(change)
    })
    if (!isWritten) throw new Overtaken()
  }
}
