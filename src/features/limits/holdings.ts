import { overCap } from '../../kernel/errors.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { KeyedLock } from '../../kernel/concurrency.ts'
import type { Change } from '../../records/change.ts'
import type { Collection } from '../../records/collection.ts'
import { eachPage } from '../../records/paginate.ts'
import { retryOrBusy } from '../../records/retry.ts'
import type { HoldingKind } from './records.ts'
import type { Records } from '../records.ts'
import type { TaskStatus } from '../tasks/records.ts'
import { capsOf } from '../ledger/plans.ts'
import type { PlanOf } from '../ledger/account-plan.ts'

const PAGE = 500
const TASK_STATUSES: readonly TaskStatus[] = ['active', 'paused', 'archived']

const WAY_OUT: Readonly<Record<HoldingKind, string>> = {
  keys: 'revoke keys that are no longer used, or choose a plan with more',
  tasks: 'delete tasks that are no longer used, or choose a plan with more',
  datasets: 'delete datasets that are no longer used, or choose a plan with more',
}
const NAMES: Readonly<Record<HoldingKind, string>> = {
  keys: 'API keys',
  tasks: 'tasks',
  datasets: 'datasets',
}

/** Enforces limits on the number of an account's keys, tasks and datasets. */
export interface Holdings {
  /**
   * Retries a commit that adds or removes one, until it is written, as `retryOrBusy` does. Within a
   * process, commits of one account run one after the other, so that a burst does not conflict with
   * itself.
   */
  retry<T extends object>(
    account: string,
    kind: HoldingKind,
    subject: string,
    attempt: () => Promise<T | null | false>,
  ): Promise<T>
  /**
   * Reads the count that {@link Tally.add} changes. Read the data that the change depends on after
   * this call.
   */
  open(account: string, kind: HoldingKind): Promise<Tally>
}

/** A count that was read. */
export interface Tally {
  /**
   * Adds the new count to the commit that adds (`amount` above 0) or removes. The commit fails if
   * another commit has changed the count since it was read.
   *
   * @throws {PlatformError} 409 beyond the plan's cap, with the cap, the current count and what to
   *   do
   */
  add(change: Change, amount: number): Promise<void>
}

/** Counts what accounts have. Records from before counting began are counted at the first change. */
export function createHoldings({
  records,
  planOf,
}: {
  readonly records: Records
  readonly planOf: PlanOf
}): Holdings {
  const lock = new KeyedLock()
  return {
    retry: (account, kind, subject, attempt) =>
      lock.run(JSON.stringify([account, kind]), () => retryOrBusy(subject, attempt)),
    async open(account, kind) {
      const stored = await records.holdings.get(account, kind)
      const before = stored?.value.count ?? (await recount(records, account, kind))
      return {
        async add(change, amount) {
          const most = amount > 0 ? capsOf(await planOf(account))[kind] : null
          const count = before + amount
          if (most !== null && count > most)
            throw overCap(
              `The account has ${before} ${NAMES[kind]} and may have ${most}: ${WAY_OUT[kind]}`,
              { of: kind, used: before, most },
            )
          if (stored) records.holdings.update(change, account, stored, { kind, count })
          else records.holdings.insert(change, account, { kind, count })
        },
      }
    },
  }
}

/** Counts the records themselves. */
export async function recount(
  records: Records,
  account: string,
  kind: HoldingKind,
): Promise<number> {
  switch (kind) {
    case 'keys':
      return countAll(records.apiKeys, account, ({ revokedAt }) => revokedAt === null)
    case 'tasks':
      return countTasks(records, account)
    case 'datasets':
      return countAll(records.datasets, account)
  }
}

/** Counts the entries of an index, because the recipes of all tasks may be too large to read. */
async function countTasks(records: Records, account: string): Promise<number> {
  let count = 0
  for (const status of TASK_STATUSES) {
    for (let after: readonly KeyPart[] | null = null; ;) {
      const page: readonly (readonly KeyPart[])[] = await records.tasks.listIds('status', account, {
        within: [status],
        limit: PAGE,
        ...(after && { after: [status, ...after] }),
      })
      count += page.length
      after = page.at(-1) ?? null
      if (page.length < PAGE) break
    }
  }
  return count
}

async function countAll<T>(
  collection: Collection<T>,
  account: string,
  counts: (value: T) => boolean = () => true,
): Promise<number> {
  let count = 0
  for await (const page of eachPage(collection, account))
    count += page.filter(({ value }) => counts(value)).length
  return count
}
