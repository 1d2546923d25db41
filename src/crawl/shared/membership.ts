import type { Clock } from '../../ports/clock.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { retryConflicts, retryFailures } from '../../records/retry.ts'
import type {
  SharedRunRecord,
  MembershipRecord,
  ReportRecord,
} from '../../features/executions/crawl-records.ts'
import type { Records } from '../../features/records.ts'

/** A report without the members that the membership adds. */
export type Report = Omit<ReportRecord, 'execution' | 'hand' | 'number'>

export interface MembershipOptions {
  readonly records: Records
  readonly clock: Clock
  readonly account: string
  readonly execution: string
  readonly membership: string
  readonly leaseMs: number
}

/**
 * A helper's membership of an execution. Each commit checks and replaces the membership record. So
 * a commit cannot apply twice, or after the membership has ended.
 */
export class Membership {
  readonly #options: MembershipOptions
  #stored: Stored<MembershipRecord>

  private constructor(options: MembershipOptions, stored: Stored<MembershipRecord>) {
    this.#options = options
    this.#stored = stored
  }

  /** Returns `null` if the coordinator's record has changed meanwhile. */
  static async join(
    options: MembershipOptions,
    coordinator: Stored<SharedRunRecord>,
  ): Promise<Membership | null> {
    const { records, clock, account, execution, membership, leaseMs } = options
    const change = new Change()
    records.sharedRuns.require(change, account, coordinator)
    records.memberships.insert(change, account, {
      execution,
      hand: membership,
      until: clock.now() + leaseMs,
      reports: 0,
      turn: 0,
    })
    if (!(await records.commit(change))) return null
    const stored = await records.memberships.get(account, execution, membership)
    return stored && new Membership(options, stored)
  }

  get name(): string {
    return this.#options.membership
  }

  /** End of the membership, in Unix milliseconds. Until then its hosts belong to this helper. */
  get until(): number {
    return this.#stored.value.until
  }

  /** True if a third of the lease is over. */
  isDue(now: number): boolean {
    return this.until - now <= (this.#options.leaseMs * 2) / 3
  }

  /**
   * Renews the lease and writes reports. `false`: the membership had ended, and nothing was
   * written. After an error the outcome is unknown, so the next call must begin with the same
   * reports.
   */
  report(reports: readonly Report[]): Promise<boolean> {
    return this.#replace(this.#options.clock.now() + this.#options.leaseMs, reports)
  }

  /**
   * Writes the last reports and ends the membership, which returns its hosts. Call it only when no
   * request is in flight. If the holder ends it first, it is unknown whether the reports were
   * written.
   */
  async leave(reports: readonly Report[]): Promise<void> {
    await this.#replace(0, reports)
  }

  async #replace(until: number, reports: readonly Report[]): Promise<boolean> {
    const { records, clock, account, execution, membership } = this.#options
    let left = reports
    const answer = await retryConflicts(() =>
      retryFailures(clock, async () => {
        const before = this.#stored.value
        const next: MembershipRecord = {
          ...before,
          until,
          reports: before.reports + left.length,
          turn: before.turn + 1,
        }
        const change = new Change()
        records.memberships.update(change, account, this.#stored, next)
        left.forEach((report, index) =>
          records.reports.put(change, account, {
            execution,
            hand: membership,
            number: before.reports + index,
            ...report,
          }),
        )
        await records.commit(change)
        const now = await records.memberships.get(account, execution, membership)
        if (!now) return 'ended'
        this.#stored = now
        const { turn, reports: count } = now.value
        if (turn !== next.turn) return false
        if (count === next.reports && now.value.until === until) return 'written'
        // An earlier call has written this turn, but its answers were lost.
        left = left.slice(count - before.reports)
        return false
      }),
    )
    return answer === 'written'
  }
}
