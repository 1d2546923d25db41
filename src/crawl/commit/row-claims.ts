import type { Clock } from '../../ports/clock.ts'
import { Pace } from '../../kernel/pace.ts'
import { Change } from '../../records/change.ts'
import { retryFailures } from '../../records/retry.ts'
import type { Records } from '../../features/records.ts'
import type { SeenRecord } from '../../features/executions/records.ts'
import { Overtaken } from './fence.ts'

/** Keys per read, and per commit. */
const AT_ONCE = 1_000

/** Dependencies of {@link RowClaims}. */
export interface RowClaimsOptions {
  readonly records: Records
  readonly clock: Clock
  readonly account: string
  readonly execution: string
}

/**
 * Row keys of an execution whose rows must be unique. A page may have 50,000 rows, too many for one
 * commit. Then most of their keys are claimed in earlier commits, before the commit of the page. A
 * claim names the page's commit. That commit writes a record with its name, and only then the claim
 * is valid. If a worker dies in between, its claims are not valid, so they hide no row, even if the
 * page has other rows at the next attempt.
 */
export class RowClaims {
  readonly #options: RowClaimsOptions
  readonly #pace: Pace

  constructor(options: RowClaimsOptions, pace = new Pace()) {
    this.#options = options
    this.#pace = pace
  }

  /** Returns those keys that no committed page has. */
  async unseen(keys: Iterable<string>): Promise<Set<string>> {
    const { records, account, execution } = this.#options
    const fresh = new Set(keys)
    const candidates = [...fresh]
    const claimed: SeenRecord[] = []
    for (let position = 0; position < candidates.length; position += AT_ONCE) {
      const ids = candidates.slice(position, position + AT_ONCE).map((key) => [execution, key])
      for (const record of await records.seenRows.getMany(account, ids)) {
        if (record === null) continue
        if (record.value.by === undefined) fresh.delete(record.value.identity)
        else claimed.push(record.value)
      }
      await this.#pace.step()
    }
    if (claimed.length === 0) return fresh
    const commits = [...new Set(claimed.flatMap(({ by }) => (by === undefined ? [] : [by])))]
    const claims = await records.seenRows.getMany(
      account,
      commits.map((commit) => [execution, commit]),
    )
    const settled = new Set(claims.map((record) => record?.value.identity))
    for (const { identity, by } of claimed) if (settled.has(by)) fresh.delete(identity)
    return fresh
  }

  /**
   * Claims keys for a commit while there are too many for it. `guard` adds the preconditions of
   * that commit to each claim.
   *
   * @returns the keys left for the commit itself. Its name is among them if any key was claimed
   * @throws {Overtaken}
   */
  async claim(
    keys: readonly string[],
    commit: string,
    guard: (change: Change) => void,
  ): Promise<readonly string[]> {
    let position = 0
    for (; keys.length - position > AT_ONCE; position += AT_ONCE) {
      await this.#write(keys.slice(position, position + AT_ONCE), commit, guard)
      await this.#pace.step()
    }
    return position === 0 ? keys : [...keys.slice(position), commit]
  }

  /** Writing the same claim twice has no further effect. */
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
