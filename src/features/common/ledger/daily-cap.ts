import { busy } from '../../../kernel/errors.ts'
import { Change } from '../../../records/change.ts'
import type { Stored } from '../../../records/collection.ts'
import type { DayShare, SubscriptionRecord } from '../../../records/ledger-records.ts'
import type { Records } from '../../../records/records.ts'
import type { ProgressRecord } from '../../../records/types.ts'
import { dayOf } from './day.ts'
import { planOf } from './plans.ts'
import type { PlanDefinition, Tariff } from './plans.ts'

/** How much of the day's credits an execution wants for itself. */
export interface ShareWanted {
  /** Fewer are of no use to it. */
  readonly least: number
  readonly most: number
}

/** What an execution may spend today: up to `until`, by the credits that its own counters show. `null`: as much as it likes. */
export type Share = { readonly day: string; readonly until: number } | null

/** The part of a ledger that keeps to daily caps. */
export interface DailyCaps {
  /**
   * Takes credits of the day's cap for an execution, which then need not ask for every page; what is not spent goes back when the day is
   * over, or the execution. Where the day is another than at the last time, nothing may be under way that `progress` does not show.
   */
  takeShare(account: string, execution: string, progress: Stored<ProgressRecord>, wanted: ShareWanted, now: number): Promise<Share>
}

const TRIES = 16

/** Credits that an account may spend in a day: the lower of the plan's and its own; `null`: no cap. */
export function dailyCapOf({ dailyCap: ofPlan = null }: PlanDefinition, subscription: SubscriptionRecord | undefined): number | null {
  const own = subscription?.dailyCap ?? null
  return ofPlan === null || own === null ? (ofPlan ?? own) : Math.min(ofPlan, own)
}

/** Opens the daily caps of a ledger. */
export function createDailyCaps({ records, tariff }: { readonly records: Records; readonly tariff: Tariff }, alone: <T>(account: string, work: () => Promise<T>) => Promise<T>): DailyCaps {
  return {
    takeShare: (account, execution, progress, wanted, now) =>
      alone(account, async () => {
        for (let attempt = 1; attempt <= TRIES; attempt++) {
          const today = dayOf(now)
          const [subscription, hold, stored] = await Promise.all([records.subscriptions.get(account), records.holds.get(account, execution), records.days.get(account, today)])
          const cap = dailyCapOf(planOf(tariff, subscription?.value.plan), subscription?.value)
          // Without a hold it has ended meanwhile, or has nothing to pay.
          if (cap === null || !hold) return null
          const change = new Change()
          const last = hold.value.share
          const share = last?.day === today ? last : { day: today, taken: 0, from: progress.value.credits }
          if (last !== share) records.progress.require(change, account, progress)
          if (last && last !== share) await giveBack(records, change, account, last, progress.value.credits)
          const free = cap - (stored?.value.taken ?? 0)
          const amount = Math.min(wanted.most, hold.value.reserved - share.from - share.taken, free, Math.max(wanted.least, Math.ceil(free / 4)))
          const taken = amount >= wanted.least && amount > 0 ? amount : 0
          if (taken > 0) {
            if (stored) records.days.update(change, account, stored, { day: today, taken: stored.value.taken + taken })
            else records.days.insert(change, account, { day: today, taken })
          }
          const after = { ...share, taken: share.taken + taken }
          if (taken > 0 || share !== last) records.holds.update(change, account, hold, { ...hold.value, share: after })
          if (change.size === 0 || (await records.commit(change))) return { day: today, until: after.from + after.taken }
        }
        throw busy("The account's credits are being changed by others; try again")
      }),
  }
}

/** Adds to a commit that an execution, which has spent so much in all, does not need the rest of its share. */
export async function giveBack(records: Records, change: Change, account: string, share: DayShare, spent: number): Promise<void> {
  const rest = share.from + share.taken - spent
  const stored = rest === 0 ? null : await records.days.get(account, share.day)
  if (stored) records.days.update(change, account, stored, { ...stored.value, taken: stored.value.taken - rest })
}
