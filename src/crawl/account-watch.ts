import { standingOf } from '../features/common/account-status.ts'
import type { Core } from '../features/core.ts'
import { canMove, endExecution, moveExecution } from '../features/executions/lifecycle.ts'
import type { Executions } from '../features/executions/service.ts'
import { PlatformError } from '../kernel/errors.ts'
import type { JobResult } from '../ports/queue.ts'
import type { Interrupts } from './interrupts.ts'
import { Change } from '../records/change.ts'
import { SYSTEM } from '../records/collection.ts'
import { retryConflicts, retryOrBusy } from '../records/retry.ts'

/** An execution and its account. */
interface Target {
  readonly account: string
  readonly execution: string
}

/** Options of {@link AccountWatch}. */
export interface AccountWatchOptions extends Pick<
  Core,
  'accountStatus' | 'clock' | 'ledger' | 'logger' | 'records'
> {
  readonly executions: Pick<Executions, 'cancel'>
  /** Called after a move: notifies the live events of this process at once. */
  readonly changed: (execution: string) => void
  readonly interrupts: Interrupts
  /**
   * Time in ms for which an execution of a suspended account keeps its reserved credits. `null`:
   * until it is resumed.
   */
  readonly suspendedMs: number | null
}

/** Interval, in ms, at which the account of a running execution is checked. */
const WATCH_MS = 10_000

const SUSPENDED = 'account_suspended'

/**
 * Stops executions whose account may not be used any more. An execution of a suspended account is
 * paused, and can be resumed when the account is active again. If nobody resumes it in time, it is
 * cancelled, and its reserved credits are returned. An execution of a closed account is cancelled
 * at once.
 */
export class AccountWatch {
  readonly #options: AccountWatchOptions

  constructor(options: AccountWatchOptions) {
    this.#options = options
  }

  /**
   * True if the execution was stopped. If the host cannot tell the account's state, the execution
   * continues, because it was admitted when it started.
   */
  async stops({ account, execution }: Target): Promise<boolean> {
    const { accountStatus, executions, logger } = this.#options
    try {
      const standing = await standingOf(accountStatus, account)
      if (standing === 'active') return false
      const platform = { account, user: '', scopes: ['*'] }
      if (standing === 'closed') await executions.cancel(platform, execution)
      else await this.#suspend({ account, execution })
      return true
    } catch (error) {
      // The execution has ended by itself.
      if (error instanceof PlatformError && error.code === 'CONFLICT') return false
      logger.warn("An execution's account could not be checked; the execution continues", {
        execution,
        error,
      })
      return false
    }
  }

  /** Pauses an execution, and adds the job that cancels it later. */
  async #suspend({ account, execution: id }: Target): Promise<void> {
    const { records, clock, changed, interrupts, suspendedMs } = this.#options
    await retryOrBusy('The execution', async () => {
      const stored = await records.executions.get(account, id)
      if (!stored || !canMove(stored.value.status, 'paused')) return true
      const change = new Change()
      const now = clock.now()
      const reason = { code: SUSPENDED, message: 'The account is suspended' }
      const { updatedAt } = moveExecution(records, change, account, stored, 'paused', {
        now,
        reason,
      })
      if (suspendedMs !== null)
        records.outbox.put(change, SYSTEM, {
          id: `suspended:${id}:${updatedAt}`,
          kind: 'suspended',
          data: { account, execution: id, since: String(updatedAt) },
          at: now + suspendedMs,
        })
      return records.commit(change)
    })
    interrupts.interrupt(id)
    changed(id)
  }

  /**
   * Cancels an execution that was paused at a given time because of a suspension, if nobody has
   * resumed it.
   */
  async expire({ account, execution: id }: Target, since: string): Promise<JobResult> {
    const { records, ledger, clock, changed, suspendedMs } = this.#options
    const expiresAt = Number(since) + (suspendedMs ?? 0)
    if (clock.now() < expiresAt) return { again: expiresAt }
    const isDone = await retryConflicts(() =>
      ledger.alone(account, async () => {
        const stored = await records.executions.get(account, id)
        const { status, updatedAt } = stored?.value ?? {}
        if (!stored || status !== 'paused' || String(updatedAt) !== since) return true
        const change = new Change()
        const now = clock.now()
        const reason = { code: SUSPENDED, message: 'The account was suspended for too long' }
        await endExecution({ records, ledger }, change, account, stored, 'cancelled', {
          now,
          reason,
        })
        return records.commit(change)
      }),
    )
    if (!isDone) throw new Error('The execution is being changed by others')
    changed(id)
    return 'done'
  }

  /** Checks repeatedly, until `signal` aborts or the execution was stopped. */
  async follow(target: Target, signal: AbortSignal): Promise<void> {
    const { accountStatus, clock } = this.#options
    if (accountStatus === null) return
    for (;;) {
      await clock.sleep(WATCH_MS, signal).catch(() => undefined)
      if (signal.aborted || (await this.stops(target))) return
    }
  }
}
