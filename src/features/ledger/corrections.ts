import { badRequest, conflict, notFound } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { LedgerEntry } from './records.ts'
import { settledOf } from './settlements.ts'
import type { ExecutionCost } from './settlements.ts'
import type { Records } from '../records.ts'
import { AccountSession, entryOf } from './account-session.ts'
import type { AccountSessionOptions } from './account-session.ts'

/**
 * A refund for an execution: the price of one page, a number of credits, or all of its cost that
 * was not refunded yet.
 */
export interface Refund {
  /** Chosen by the caller. A second call with the same id changes nothing. */
  readonly id: string
  readonly execution: string
  /** The page, by its number in the receipt. */
  readonly seq?: number
  readonly credits?: number
  /** Text for people, stored in the ledger. */
  readonly note: string
}

/** Credits that an operator gives. A negative amount takes credits. */
export interface Adjustment {
  /** Chosen by the caller. A second call with the same id changes nothing. */
  readonly id: string
  readonly credits: number
  /** Unix milliseconds. Absent: never. Only for credits that are given. */
  readonly expiresAt?: number
  readonly note: string
}

/** Credits that were bought. */
export interface TopUp {
  /** Id of the payment. A second call with the same id changes nothing. */
  readonly id: string
  readonly credits: number
  /** Unix milliseconds. Absent or `null`: never. */
  readonly expiresAt?: number | null
  readonly note?: string
}

/** Commits a change together with an entry. `false`: a record changed in the meantime. */
export type CommitEntry = (change: Change, entry: LedgerEntry) => Promise<boolean>

/**
 * Movements of credits that no execution causes. Each is a separate commit with an id. A repetition
 * with the same id returns the first entry.
 */
export interface Corrections {
  /**
   * Refunds the cost of a finished execution, and never more than that. The execution may have been
   * deleted since. These credits do not expire.
   *
   * @throws {PlatformError} 404 for an unknown execution or page; 409 if the execution is not
   *   finished, if less is left than requested, and for a page that was refunded before
   */
  refund(account: string, refund: Refund, now: number): Promise<LedgerEntry>
  /**
   * `commit`: writes the change, if it contains more than the entry.
   *
   * @throws {PlatformError} 409 if the wallet would fall below the plan's floor
   */
  adjust(
    account: string,
    adjustment: Adjustment,
    now: number,
    commit?: CommitEntry,
  ): Promise<LedgerEntry>
  /** @throws {PlatformError} 409 if the id was used for another number of credits */
  topUp(account: string, topUp: TopUp, now: number): Promise<LedgerEntry>
}

/**
 * Opens the corrections of a ledger. `alone`: runs changes of one account's money one after the
 * other, so that they do not conflict.
 */
export function createCorrections(
  options: AccountSessionOptions,
  alone: <T>(account: string, work: () => Promise<T>) => Promise<T>,
): Corrections {
  const { records } = options

  /** Writes what `enter` adds, unless its cause has an entry. */
  const once = (
    account: string,
    cause: string,
    now: number,
    enter: (session: AccountSession, change: Change) => Promise<LedgerEntry> | LedgerEntry,
    commit: CommitEntry = (change) => records.commit(change),
  ): Promise<LedgerEntry> =>
    alone(account, () =>
      retryOrBusy("The account's balance", async () => {
        const first = await entryOf(records, account, cause)
        if (first) return first
        const change = new Change()
        const session = await AccountSession.open(options, account, now)
        const entry = await enter(session, change)
        session.write(change)
        return (await commit(change, entry)) && entry
      }),
    )

  return {
    async refund(account, { id, execution, seq, credits, note }, now) {
      if (credits !== undefined) demandAmount(credits)
      const cause = `refund:${id}`
      return sameAmount(
        credits,
        await once(account, cause, now, async (session, change) => {
          const { left, page, task } = await refundable(records, change, account, execution, seq)
          const amount = page?.[2] ?? credits ?? left.credits
          if (amount > left.credits || amount === 0)
            throw conflict(
              `${left.credits} credits of the execution can be refunded, and ${amount} were asked for`,
            )
          left.take(amount)
          return session.bring('refund', cause, amount, now, null, {
            execution,
            task,
            note,
            ...(page && { pages: [page] }),
          })
        }),
      )
    },

    async adjust(account, { id, credits, expiresAt, note }, now, commit) {
      if (!Number.isSafeInteger(credits) || credits === 0)
        throw badRequest([{ path: 'credits', message: 'Must be a whole number other than 0' }])
      const cause = `adjust:${id}`
      const enter = (session: AccountSession): LedgerEntry => {
        if (session.credits.wallet + credits < session.floor && credits < 0)
          throw conflict(
            `${-credits} credits cannot be taken: the wallet has ${session.credits.wallet} and ` +
              `must not fall below ${session.floor}`,
          )
        return session.bring('adjust', cause, credits, now, expiresAt ?? null, { note })
      }
      return sameAmount(credits, await once(account, cause, now, enter, commit))
    },

    async topUp(account, { id, credits, expiresAt = null, note }, now) {
      demandAmount(credits)
      const cause = `top-up:${id}`
      return sameAmount(
        credits,
        await once(account, cause, now, (session) =>
          session.bring('top_up', cause, credits, now, expiresAt, {
            ...(note !== undefined && { note }),
          }),
        ),
      )
    },
  }
}

/** Finds the credits that can be refunded for an execution. `take` adds the refund to the commit. */
async function refundable(
  records: Records,
  change: Change,
  account: string,
  id: string,
  seq: number | undefined,
) {
  const [cost, before, refunded] = await Promise.all([
    costOf(records, change, account, id, seq),
    records.refunds.get(account, id),
    seq === undefined ? null : records.refunds.get(account, id, seq),
  ])
  const { credits: spent, page, task } = cost
  if (seq !== undefined && !page) throw notFound('Page')
  if (refunded) throw conflict('The page was refunded already')
  const credited = before?.value.credits ?? 0
  const take = (credits: number): void => {
    if (before)
      records.refunds.update(change, account, before, {
        ...before.value,
        credits: credited + credits,
      })
    else records.refunds.insert(change, account, { execution: id, seq: null, credits })
    if (page) records.refunds.insert(change, account, { execution: id, seq: page[0], credits })
  }
  return { left: { credits: spent - credited, take }, page, task }
}

/**
 * Returns the cost of a finished execution, and makes the commit depend on the execution. The cost
 * of a deleted one comes from the ledger.
 */
async function costOf(
  records: Records,
  change: Change,
  account: string,
  id: string,
  seq: number | undefined,
): Promise<ExecutionCost> {
  const [execution, progress] = await Promise.all([
    records.executions.get(account, id),
    records.progress.get(account, id),
  ])
  if (!execution || !progress) {
    const settled = await settledOf(records, account, id, seq)
    if (!settled) throw notFound('Execution')
    return settled
  }
  const { finishedAt, status, taskId } = execution.value
  if (finishedAt === null)
    throw conflict(`The execution is ${status}; only a finished one can be refunded`)
  records.executions.require(change, account, execution)
  const visit = seq === undefined ? null : await records.visits.get(account, id, seq)
  return {
    credits: progress.value.credits,
    task: taskId,
    page: visit && [visit.value.seq, visit.value.outcome, visit.value.credits],
  }
}

function demandAmount(credits: number): void {
  if (!Number.isSafeInteger(credits) || credits <= 0)
    throw badRequest([{ path: 'credits', message: 'Must be a whole number, 1 or more' }])
}

/**
 * An id belongs to one movement. The same id with another amount is an error, which the caller must
 * see.
 */
function sameAmount(credits: number | undefined, entry: LedgerEntry): LedgerEntry {
  if (credits !== undefined && entry.moves.wallet !== credits)
    throw conflict(`The id was used before, for ${entry.moves.wallet ?? 0} credits`)
  return entry
}
