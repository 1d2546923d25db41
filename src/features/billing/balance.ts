import { dayOf, isoTimeOrNull } from '../common/time.ts'
import type { Core } from '../core.ts'
import { dailyCapOf } from '../ledger/daily-cap.ts'
import type { Credits } from '../ledger/records.ts'

/** An account's credits, on the wire. */
export interface Balance {
  /**
   * Credits by account of the ledger, including the spending of running executions. They sum to
   * zero.
   */
  readonly credits: Credits
  /** Credits that new executions can reserve. `null`: no limit. */
  readonly spendable: number | null
  /** The lowest balance that the wallet may have. `null`: no limit. */
  readonly floor: number | null
  readonly plan: { readonly id: string; readonly name: string }
  /** The open month, `YYYY-MM`. */
  readonly period: string
  /** The lots of the wallet, in the order they are spent. */
  readonly lots: readonly {
    readonly id: string
    readonly credits: number
    readonly expiresAt: string | null
  }[]
  /** The day's cap, and how much of it executions have reserved. `null`: no cap. */
  readonly dailyCap: {
    readonly credits: number
    readonly day: string
    readonly taken: number
  } | null
}

/** Reads an account's credits. */
export async function readBalance(
  { records, ledger, clock }: Core,
  account: string,
): Promise<Balance> {
  const now = clock.now()
  const { credits, plan } = await ledger.balance(account, now)
  const [wallet, period, subscription, day] = await Promise.all([
    records.wallets.get(account),
    ledger.period(account, now),
    records.subscriptions.get(account),
    records.days.get(account, dayOf(now)),
  ])
  const { overdraft = 0 } = plan
  const floor = overdraft === null ? null : 0 - overdraft
  const cap = dailyCapOf(plan, subscription?.value)
  return {
    credits,
    spendable: floor === null ? null : Math.max(0, credits.wallet - floor),
    floor,
    plan: { id: plan.id, name: plan.name },
    period: period.value.open,
    lots: (wallet?.value.lots ?? []).map(({ id, left, expiresAt }) => ({
      id,
      credits: left,
      expiresAt: isoTimeOrNull(expiresAt),
    })),
    dailyCap: cap === null ? null : { credits: cap, day: dayOf(now), taken: day?.value.taken ?? 0 },
  }
}
