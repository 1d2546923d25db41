import type { Stored } from '../../records/collection.ts'
import type { Draft } from '../../records/drafts.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { DayRecord, DayShare, HoldRecord, SubscriptionRecord } from './records.ts'
import type { Records } from '../records.ts'
import type { ProgressRecord } from '../executions/records.ts'
import { dayOf } from '../common/time.ts'
import { planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'
import type { Part, BatchWriter } from './batch.ts'

/**
 * The limit of an execution for today: its own counter of credits may grow to `until`. `null`: no
 * limit.
 */
export type Share = { readonly day: string; readonly until: number } | null

/** The part of a ledger that enforces daily caps. */
export interface DailyCaps {
  /**
   * Reserves credits of the day's cap for an execution, so that it need not ask for every page.
   * Unspent credits go back when the day or the execution ends. If the day has changed since the
   * last call, `progress` must include all work of the execution.
   */
  takeShare(
    account: string,
    execution: string,
    progress: Stored<ProgressRecord>,
    /** `least`: the minimum number of credits that is of use to the execution. */
    share: { readonly least: number; readonly most: number },
    now: number,
  ): Promise<Share>
}

/**
 * Credits that an account may spend in a day: the lower of the plan's cap and its own. `null`: no
 * cap.
 */
export function dailyCapOf(
  { dailyCap: ofPlan = null }: PlanDefinition,
  subscription: SubscriptionRecord | undefined,
): number | null {
  const accountCap = subscription?.dailyCap ?? null
  return ofPlan === null || accountCap === null
    ? (ofPlan ?? accountCap)
    : Math.min(ofPlan, accountCap)
}

/** Opens the daily caps of a ledger. */
export function createDailyCaps(
  { records, tariff }: { readonly records: Records; readonly tariff: Tariff },
  batches: Pick<BatchWriter, 'join'>,
): DailyCaps {
  /**
   * Finds the account's cap and the execution's hold. `null`: the execution may spend without
   * limit.
   */
  const limited = async (
    account: string,
    execution: string,
  ): Promise<{ cap: number; hold: Stored<HoldRecord> } | null> => {
    const [subscription, hold] = await Promise.all([
      records.subscriptions.get(account),
      records.holds.get(account, execution),
    ])
    const cap = dailyCapOf(planOf(tariff, subscription?.value.plan), subscription?.value)
    // An execution without a hold has ended, or has nothing to pay.
    return cap === null || !hold ? null : { cap, hold }
  }
  return {
    async takeShare(account, execution, progress, request, now) {
      // Most accounts have no cap, and need not wait for their turn.
      if (!(await limited(account, execution))) return null
      const today = dayOf(now)
      let answer: Share = null
      const read: Part['read'] = async ({ days }) => {
        const limits = await limited(account, execution)
        answer = null
        if (!limits) return () => {}
        const { cap, hold } = limits
        const last = hold.value.share
        const [day, lastDay] = await Promise.all([
          days.open(today),
          last && last.day !== today ? days.open(last.day) : null,
        ])
        return (change) => {
          const share =
            last?.day === today ? last : { day: today, taken: 0, from: progress.value.credits }
          if (last !== share) records.progress.require(change, account, progress)
          if (last && lastDay) giveBack(lastDay, last, progress.value.credits)
          const takenToday = day.value?.taken ?? 0
          const free = cap - takenToday
          const amount = Math.min(
            request.most,
            hold.value.reserved - share.from - share.taken,
            free,
            Math.max(request.least, Math.ceil(free / 4)),
          )
          const granted = amount >= request.least && amount > 0 ? amount : 0
          if (granted > 0) day.value = { day: today, taken: takenToday + granted }
          const after = { ...share, taken: share.taken + granted }
          if (granted > 0 || share !== last)
            records.holds.update(change, account, hold, { ...hold.value, share: after })
          answer = { day: today, until: after.from + after.taken }
        }
      }
      await retryOrBusy("The account's balance", () =>
        batches.join(account, { execution, now, read }),
      )
      return answer
    },
  }
}

/**
 * Gives back the part of a day's share that an execution does not need. `spent` is the total that
 * it has spent.
 */
export function giveBack(day: Draft<DayRecord>, share: DayShare, spent: number): void {
  const rest = share.from + share.taken - spent
  if (day.value && rest !== 0) day.value = { ...day.value, taken: day.value.taken - rest }
}
