import { PlatformError } from '../../kernel/errors.ts'
import { mostExecutions } from '../ledger/plans.ts'
import type { PlanDefinition } from '../ledger/plans.ts'
import type { Records } from '../records.ts'

/**
 * Statuses to read, in this order. A paused execution becomes queued when it is resumed. The second
 * read of `queued` finds one that was resumed between the reads.
 */
const READ_ORDER = ['queued', 'running', 'paused', 'queued'] as const
/** Accounts whose executions are counted again with their next start, if there are more of them. */
const MOST_ACCOUNTS = 10_000

/** More executions are counted in a turn of their own: 10,000 take some 7 ms. */
const MANY = 500
/** Characters of an identifier in the index. */
const ID_SIZE = 50

/** Starts of an account in this process before the first count. Most accounts need none. */
const FIRST_STARTS = 100
/**
 * Starts that need no count, by account. To count thousands of executions with each start would
 * take longer than the start, so after a count half of the rest may start. Only where a plan names
 * no limit: one that it names is kept in any number of processes.
 */
const uncounted = new WeakMap<Records, Map<string, number>>()

/**
 * Refuses another execution if the account has as many unfinished ones as its plan allows.
 *
 * @throws {PlatformError} 429 `TOO_MANY_REQUESTS`
 */
export async function demandRoom(
  records: Records,
  account: string,
  plan: PlanDefinition,
): Promise<void> {
  const most = mostExecutions(plan)
  if (most === null) return
  const isNamed = plan.concurrentExecutions !== undefined
  const starts = isNamed ? null : startsOf(records)
  const left = starts === null ? 0 : (starts.get(account) ?? FIRST_STARTS)
  if (left > 0) {
    starts?.set(account, left - 1)
    return
  }
  if (most > MANY)
    await (await import('../../kernel/pace.ts')).ownTurn({ account, size: ID_SIZE * most })
  const count = await countUnfinished(records, account, most)
  if (count >= most)
    throw new PlatformError(
      'TOO_MANY_REQUESTS',
      `The account has ${count} unfinished executions, and its plan allows ${most} at ` +
        'the same time: wait until one has ended, or cancel one',
      {
        headers: { 'Retry-After': '5' },
        limit: { of: 'executions', used: count, most },
      },
    )
  starts?.set(account, (most - count) >> 1)
}

function startsOf(records: Records): Map<string, number> {
  let starts = uncounted.get(records)
  if (starts === undefined || starts.size > MOST_ACCOUNTS)
    uncounted.set(records, (starts = new Map()))
  return starts
}

async function countUnfinished(records: Records, account: string, most: number): Promise<number> {
  const unfinished = new Set<string>()
  for (const status of READ_ORDER) {
    if (unfinished.size >= most) break
    for (const id of await records.executions.listIds('status', account, {
      within: [status],
      limit: most,
    }))
      unfinished.add(id.join())
  }
  return unfinished.size
}
