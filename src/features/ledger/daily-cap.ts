import { busy } from '../../kernel/errors.ts'
import type { Stored } from '../../records/collection.ts'
import type { Draft } from '../../records/drafts.ts'
import type { DayRecord, DayShare, HoldRecord, SubscriptionRecord } from './records.ts'
import type { Records } from '../records.ts'
import type { ProgressRecord } from '../executions/records.ts'
import { dayOf } from '../common/time.ts'
import { planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'
import type { Part, BatchWriter } from './batch.ts'

/** How much of the day's credits an execution wants for itself. */
export interface ShareWanted {
  /** Fewer are of no use to it. */
  readonly least: number
  readonly most: number
}

/**
 * What an execution may spend today: up to `until`, by the credits that its own counters show.
 * `null`: as much as it likes.
 */
export type Share = { readonly day: string; readonly until: number } | null

/** The part of a ledger that keeps to daily caps. */
export interface DailyCaps {
  /**
   * Takes credits of the day's cap for an execution, which then need not ask for every page; what
   * is not spent goes back when the day is over, or the execution. Where the day is another than at
   * the last time, nothing may be under way that `progress` does not show.
   */
  takeShare(
    account: string,
    execution: string,
    progress: Stored<ProgressRecord>,
    wanted: ShareWanted,
    now: number,
  ): Promise<Share>
}

const TRIES = 16

/** Credits that an account may spend in a day: the lower of the plan's and its own; `null`: no cap. */
export function dailyCapOf(
  { dailyCap: ofPlan = null }: PlanDefinition,
  subscription: SubscriptionRecord | undefined,
): number | null {
  const own = subscription?.dailyCap ?? null
  return ofPlan === null || own === null ? (ofPlan ?? own) : Math.min(ofPlan, own)
}

/** Opens the daily caps of a ledger. */
export function createDailyCaps(
  { records, tariff }: { readonly records: Records; readonly tariff: Tariff },
  batches: Pick<BatchWriter, 'join'>,
): DailyCaps {
  /**
   * What the account's cap is, and what the execution has; `null`: it may spend as much as it
   * likes.
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
    // Without a hold it has ended meanwhile, or has nothing to pay.
    return cap === null || !hold ? null : { cap, hold }
  }
  return {
    async takeShare(account, execution, progress, wanted, now) {
      // Most have no cap, and need not wait for their turn to learn that.
      if (!(await limited(account, execution))) return null
      const today = dayOf(now)
      let answer: Share = null
      const read: Part['read'] = async ({ days }) => {
        const found = await limited(account, execution)
        answer = null
        if (!found) return () => {}
        const { cap, hold } = found
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
          const given = day.value?.taken ?? 0
          const free = cap - given
          const amount = Math.min(
            wanted.most,
            hold.value.reserved - share.from - share.taken,
            free,
            Math.max(wanted.least, Math.ceil(free / 4)),
          )
          const taken = amount >= wanted.least && amount > 0 ? amount : 0
          if (taken > 0) day.value = { day: today, taken: given + taken }
          const after = { ...share, taken: share.taken + taken }
          if (taken > 0 || share !== last)
            records.holds.update(change, account, hold, { ...hold.value, share: after })
          answer = { day: today, until: after.from + after.taken }
        }
      }
      for (let attempt = 1; attempt <= TRIES; attempt++)
        if (await batches.join(account, { execution, now, read })) return answer
      throw busy("The account's credits are being changed by others; try again")
    },
  }
}

/**
 * Gives back what an execution, which has spent so much in all, does not need of its share of a
 * day.
 */
export function giveBack(day: Draft<DayRecord>, share: DayShare, spent: number): void {
  const rest = share.from + share.taken - spent
  if (day.value && rest !== 0) day.value = { ...day.value, taken: day.value.taken - rest }
}
