import { once, KeyedLock } from '../../kernel/concurrency.ts'
import { PlatformError } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import type { Stored } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { Credits, LedgerEntry, PaidPage, PeriodRecord } from './records.ts'
import { AccountSession, enterInto } from './account-session.ts'
import type { AccountSessionOptions } from './account-session.ts'
import type { Corrections } from './corrections.ts'
import { moved, transfer } from './credits.ts'
import { createDailyCaps, giveBack } from './daily-cap.ts'
import type { DailyCaps } from './daily-cap.ts'
import type { Estimate } from './estimate.ts'
import { monthOf } from '../common/time.ts'
import type { PlanDefinition } from './plans.ts'
import { Batch, BatchWriter } from './batch.ts'
import type { Part } from './batch.ts'

/** The data of an execution that the ledger needs. */
export interface Spender {
  readonly id: string
  readonly taskId: string | null
}

/**
 * Moves credits by double entry. An entry is written in the same commit as the change it pays for.
 * Each entry names its cause, and a cause has at most one entry.
 */
export interface Ledger extends Corrections, DailyCaps {
  /**
   * Reserves the maximum cost of an execution, or what the account can spend if that is less.
   * Returns the reserved credits. `admit` is called after the account's money was read. The commit
   * depends on that money. So if two executions start at the same moment, the second one sees the
   * first.
   *
   * @throws {PlatformError} 402 with the figures if the account cannot spend `credits.least`, and
   *   any error that `admit` throws
   */
  reserve(
    change: Change,
    account: string,
    execution: Spender,
    credits: Estimate,
    now: number,
    admit?: (session: AccountSession) => Promise<void>,
  ): Promise<number>
  /**
   * Enters the cost of pages, paid from the execution's hold. `index` distinguishes the execution's
   * commits. The commit depends on the open month.
   */
  settle(
    change: Change,
    account: string,
    period: Stored<PeriodRecord>,
    execution: Spender,
    index: number,
    pages: readonly PaidPage[],
    now: number,
  ): void
  /**
   * Reads an execution's hold. The returned function gives back the unspent part; it does nothing
   * if there is no hold.
   */
  release(batch: Batch, execution: Spender): Promise<(change: Change, spent: number) => void>
  /** Enters what has come due: grants, expired credits, and the end of a month. */
  refresh(account: string, now: number): Promise<void>
  /** Brings the account's money up to date and returns the month that entries are accounted to. */
  period(account: string, now: number): Promise<Stored<PeriodRecord>>
  /** Credits by account, running executions included. */
  balance(
    account: string,
    now: number,
  ): Promise<{ readonly credits: Credits; readonly plan: PlanDefinition }>
  /**
   * Runs changes of an account's money one after the other within this process, so that many at a
   * time do not have to retry. If another process changes the same money, only one of them commits,
   * so callers still retry. The work must not wait for other work of the same account.
   */
  alone<T>(account: string, work: () => Promise<T>): Promise<T>
  /**
   * Takes turns like {@link Ledger.alone}, but shares one commit with other waiting parts. `false`:
   * a record changed in the meantime, and nothing of this part was written.
   */
  together(account: string, part: Part): Promise<boolean>
  /** A batch for a single caller, who adds it to a commit. */
  batch(account: string, now: number): Batch
  /** Opens an account's money for changes. */
  open(account: string, now: number): Promise<AccountSession>
}

/** Opens the ledger. */
export function createLedger(options: AccountSessionOptions): Ledger {
  const { records, ids } = options
  const lock = new KeyedLock()
  const alone: Ledger['alone'] = (account, work) => lock.run(account, work)
  const batches = new BatchWriter(options, alone)
  const open = (account: string, now: number): Promise<AccountSession> =>
    AccountSession.open(options, account, now)

  /** Brings an account's money up to date. */
  const touch = async (account: string, now: number): Promise<AccountSession> => {
    const session = await open(account, now)
    return session.changed ? alone(account, () => update(account, now)) : session
  }
  const update = (account: string, now: number): Promise<AccountSession> =>
    retryOrBusy("The account's balance", async () => {
      const session = await open(account, now)
      if (!session.changed) return session
      const change = new Change()
      session.write(change)
      await records.commit(change)
      return null
    })

  // Loaded on demand: it is rarely needed.
  const corrections = once(async () =>
    (await import('./corrections.ts')).createCorrections(options, alone),
  )

  return {
    refund: async (...args) => (await corrections()).refund(...args),
    adjust: async (...args) => (await corrections()).adjust(...args),
    topUp: async (...args) => (await corrections()).topUp(...args),
    ...createDailyCaps(options, batches),
    open,
    alone,
    together: (account, part) => batches.join(account, part),
    batch: (account, now) => new Batch(options, account, now),

    async reserve(change, account, execution, { credits: most, least }, now, admit) {
      const session = await open(account, now)
      await admit?.(session)
      if (most === 0) {
        if (admit || session.changed) session.write(change)
        return 0
      }
      const { wallet, held } = session.credits
      const available = Math.max(0, wallet - session.floor)
      if (available < least) throw tooDear(least, available, held)
      const credits = Math.min(most, available)
      const lots = session.hold(`${execution.id}:reserve`, credits, now, {
        execution: execution.id,
        task: execution.taskId,
      })
      records.holds.insert(change, account, {
        execution: execution.id,
        reserved: credits,
        lots,
        openedAt: now,
      })
      session.write(change)
      return credits
    },

    settle(change, account, period, execution, index, pages, now) {
      const sum = pages.reduce((total, [, , credits]) => total + credits, 0)
      if (sum === 0) return
      records.periods.require(change, account, period)
      const entry: LedgerEntry = {
        id: ids('le'),
        period: period.value.open,
        at: now,
        kind: 'settle',
        cause: `${execution.id}:${index}`,
        moves: transfer('held', 'revenue', sum),
        execution: execution.id,
        task: execution.taskId,
        pages,
      }
      enterInto(records, change, account, entry)
    },

    async release(batch, execution) {
      const { account, now } = batch
      const hold = await records.holds.get(account, execution.id)
      if (!hold) return () => {}
      const { share } = hold.value
      const [session, day] = await Promise.all([
        batch.session(),
        share ? batch.days.open(share.day) : null,
      ])
      return (change, spent) => {
        if (share && day) giveBack(day, share, spent)
        session.release(`${execution.id}:release`, hold.value, spent, now, {
          execution: execution.id,
          task: execution.taskId,
        })
        records.holds.remove(change, account, hold)
      }
    },

    async refresh(account, now) {
      await touch(account, now)
    },

    async period(account, now) {
      const stored = await records.periods.get(account)
      if (stored?.value.open === monthOf(now)) return stored
      await touch(account, now)
      const fresh = await records.periods.get(account)
      if (!fresh) throw new Error('An account that is up to date has no open month')
      return fresh
    },

    balance: (account, now) =>
      retryOrBusy("The account's balance", async () => {
        const { credits, plan } = await touch(account, now)
        const before = await records.wallets.get(account)
        let balance = before?.value.credits ?? credits
        for await (const holds of eachPage(records.holds, account)) {
          const progress = await records.progress.getMany(
            account,
            holds.map(({ value }) => [value.execution]),
          )
          for (const entry of progress)
            if (entry) balance = moved(balance, transfer('held', 'revenue', entry.value.credits))
        }
        // If a hold is opened or released between the reads, it is counted twice or not at all. So
        // the reads are repeated then.
        return (await records.wallets.get(account))?.version === before?.version
          ? { credits: balance, plan }
          : null
      }),
  }
}

/** `held`: credits reserved for unfinished executions. A part of them may come back. */
function tooDear(needed: number, available: number, held: number): PlatformError {
  const wayOut =
    held > 0
      ? `Unfinished executions have ${held} set aside: wait until one has ended, cancel one, or add credits.`
      : 'Add credits.'
  return new PlatformError(
    'PAYMENT_REQUIRED',
    `The first page may cost ${needed} credit${needed === 1 ? '' : 's'}, but only ${available} can be spent. ${wayOut}`,
    { limit: { of: 'credits', needed, available } },
  )
}
