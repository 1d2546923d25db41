import type { Clock } from '../../ports/clock.ts'
import type { Records } from '../../records/records.ts'
import { planOf } from './ledger/plans.ts'
import type { PlanDefinition, Tariff } from './ledger/plans.ts'

/** Which plan an account has, for everything that is asked often. Money reads the subscription itself, in the commit that depends on it. */
export interface AccountPlans {
  /** As of a few seconds ago at most. */
  planOf(account: string): Promise<PlanDefinition>
  /** To be told after a commit that changed an account's subscription: in this process it holds at once. */
  changed(account: string): void
}

/** What {@link createAccountPlans} works with. */
export interface AccountPlansOptions {
  readonly records: Records
  readonly tariff: Tariff
  readonly clock: Pick<Clock, 'now'>
}

/** How long another process may go by the plan that an account had before, in ms. */
export const PLAN_CACHE_MS = 5_000
/** Accounts remembered; beyond it the one asked for first is forgotten. */
const MOST_ACCOUNTS = 10_000

interface Remembered {
  readonly plan: Promise<PlanDefinition>
  readonly until: number
}

/** Plans of accounts, remembered so that a call costs no read of the store. Where there is one plan alone, nothing is ever read. */
export function createAccountPlans({ records, tariff, clock }: AccountPlansOptions): AccountPlans {
  const only = tariff.plans.length === 1 ? Promise.resolve(tariff.plans[0]) : null
  const remembered = new Map<string, Remembered>()

  const read = async (account: string): Promise<PlanDefinition> => planOf(tariff, (await records.subscriptions.get(account))?.value.plan)

  return {
    planOf(account) {
      if (only) return only
      const now = clock.now()
      const known = remembered.get(account)
      if (known && now < known.until) return known.plan
      const asked: Remembered = { plan: read(account), until: now + PLAN_CACHE_MS }
      remembered.delete(account)
      remembered.set(account, asked)
      const [first] = remembered.size > MOST_ACCOUNTS ? remembered.keys() : []
      if (first !== undefined) remembered.delete(first)
      // What could not be read is asked again the next time.
      asked.plan.catch(() => {
        if (remembered.get(account) === asked) remembered.delete(account)
      })
      return asked.plan
    },
    // A read that began before the change is forgotten too, so that what it finds is not remembered.
    changed: (account) => void remembered.delete(account),
  }
}
