import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { Tariff } from '../ledger/plans.ts'

const DAY_MS = 86_400_000

/** Whether any plan ends the keeping of executions. */
export function retires({ plans }: Tariff): boolean {
  return plans.some(({ retentionDays = null }) => retentionDays !== null)
}

/**
 * Adds to the commit of an account's first execution that somebody looks once a day for those whose
 * time is over, whatever its plan says by then.
 */
export async function requestRetention(
  records: Records,
  change: Change,
  account: string,
  now: number,
): Promise<void> {
  if (await records.retentions.get(account)) return
  records.retentions.insert(change, account, { since: now, until: 0 })
  // Named for the time, as an account whose job had ended may begin again.
  records.outbox.put(change, SYSTEM, {
    id: `retire:${account}:${now}`,
    kind: 'retire',
    data: { account, since: String(now) },
    at: now + DAY_MS,
  })
}
