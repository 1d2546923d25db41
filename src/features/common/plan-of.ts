import type { Records } from '../../records/records.ts'
import { planOf } from './ledger/plans.ts'
import type { PlanDefinition, Tariff } from './ledger/plans.ts'

/**
 * Which plan an account has, for everything that is asked often. Money reads the subscription
 * itself, in the commit that depends on it.
 */
export type PlanOf = (account: string) => Promise<PlanDefinition>

/** What {@link createPlanOf} works with. */
export interface PlanOfOptions {
  readonly records: Records
  readonly tariff: Tariff
}

/**
 * Plans of accounts, read anew each time: a changed plan holds at the next call, whichever process
 * answers it. Where there is one plan alone, nothing is ever read.
 */
export function createPlanOf({ records, tariff }: PlanOfOptions): PlanOf {
  const only = tariff.plans.length === 1 ? Promise.resolve(tariff.plans[0]) : null
  return async (account) =>
    (await only) ?? planOf(tariff, (await records.subscriptions.get(account))?.value.plan)
}
