import { PlatformError } from '../../kernel/errors.ts'
import type { KeyPart } from '../../kernel/key.ts'
import type { AccountSession } from '../ledger/account-session.ts'
import { mostExecutions } from '../ledger/plans.ts'
import type { Records } from '../records.ts'

/**
 * Statuses to read, in this order. A paused execution becomes queued when it is resumed, and then
 * runs. The second reads find one that was resumed between the first ones.
 */
const READ_ORDER = ['queued', 'running', 'paused', 'queued', 'running'] as const

/** Executions that are counted at once; each further batch has a turn of its own. */
const BATCH = 500
/** Characters of an identifier in the index. */
const ID_SIZE = 50

/**
 * Admits another execution of an account, unless it has as many unfinished ones as its plan allows.
 * To count thousands of them with each start would take longer than the start. So the wallet, which
 * every start writes, has the last count and adds each start to it. Ends are not subtracted: when
 * the sum reaches what the plan allows, the executions are counted again. No process starts more
 * than the plan allows, because of two starts that read the same wallet only one commits.
 *
 * @throws {PlatformError} 429 `TOO_MANY_REQUESTS`
 */
export async function demandRoom(
  records: Records,
  account: string,
  money: Pick<AccountSession, 'plan' | 'unfinished'>,
): Promise<void> {
  const most = mostExecutions(money.plan)
  if (most === null) {
    // Nothing is counted now, and a plan that follows may have a limit.
    money.unfinished = null
    return
  }
  if (money.unfinished === null || money.unfinished >= most) {
    const count = await countUnfinished(records, account, most)
    if (count >= most) throw tooMany(count, most)
    money.unfinished = count
  }
  money.unfinished++
}

/** Counts them up to `most`. */
async function countUnfinished(records: Records, account: string, most: number): Promise<number> {
  const unfinished = new Set<string>()
  for (const status of READ_ORDER) {
    for (let after: readonly KeyPart[] | undefined; ;) {
      if (unfinished.size >= most) return most
      if (unfinished.size >= BATCH)
        await (await import('../../kernel/pace.ts')).ownTurn({ account, size: ID_SIZE * BATCH })
      const positions = await records.executions.listPositions('status', account, {
        within: [status],
        limit: BATCH,
        ...(after && { after }),
      })
      for (const position of positions) unfinished.add(String(position.at(-1)))
      if (positions.length < BATCH) break
      after = positions.at(-1)
    }
  }
  return unfinished.size
}

function tooMany(count: number, most: number): PlatformError {
  return new PlatformError(
    'TOO_MANY_REQUESTS',
    `The account has ${count} unfinished executions, and its plan allows ${most} at ` +
      'the same time: wait until one has ended, or cancel one',
    {
      headers: { 'Retry-After': '5' },
      limit: { of: 'executions', used: count, most },
    },
  )
}
