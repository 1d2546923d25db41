import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Records } from '../records.ts'
import type { Tariff } from '../ledger/plans.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** True if any plan limits how long executions are kept. */
export function retires({ plans }: Tariff): boolean {
  return plans.some(({ retentionDays = null }) => retentionDays !== null)
}

/**
 * Queues the daily retention check in the commit of an account's first execution, with any plan,
 * because plans change.
 */
export async function requestRetention(
  records: Records,
  change: Change,
  account: string,
  now: number,
): Promise<void> {
  if (await records.retentions.get(account)) return
  records.retentions.insert(change, account, { since: now, until: 0 })
  // The name of the job contains the time, because an account may start another job after its first
  // has ended.
  records.outbox.put(change, SYSTEM, {
    id: `retire:${account}:${now}`,
    kind: 'retire',
    data: { account, since: String(now) },
    at: now + DAY_MS,
  })
}
