import type { Plan } from '../../engine/plan/plan.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { Change } from '../../records/change.ts'
import { emptyProgress } from '../../records/progress.ts'
import type { Records } from '../../records/records.ts'
import type { ExecutionRecord, ProgressRecord } from '../../records/types.ts'
import { capsOf } from '../common/caps.ts'
import { demandBytes } from '../common/stored-bytes.ts'
import { countBegin } from '../common/usage.ts'
import { estimateOf, keptCreditsOf } from '../common/ledger/estimate.ts'
import type { Ledger } from '../common/ledger/ledger.ts'
import { requestRetention } from '../common/request-retention.ts'
import { demandRoom } from './demand-room.ts'
import { enqueueExecution } from './transitions.ts'

/** What is decided of an execution before it begins. */
export type NewExecution = Pick<
  ExecutionRecord,
  | 'id'
  | 'taskId'
  | 'templateId'
  | 'recipe'
  | 'retryOf'
  | 'extractOf'
  | 'scheduledFor'
  | 'datasetId'
  | 'partial'
>

/** What {@link beginExecution} works with. */
export interface BeginOptions {
  readonly records: Records
  readonly ledger: Ledger
  readonly prices: PriceTable
  /** Whether any plan ends the keeping of executions. Default: none does. */
  readonly retires?: boolean
}

/**
 * Adds an execution to a commit, with everything that its beginning calls for: credits set aside
 * for what it may cost, and the job that works on it.
 *
 * @throws {PlatformError} 402 where the account cannot pay for it, 429 where it has as many
 *   unfinished ones as its plan allows, 409 where it has stored as much as it may
 */
export async function beginExecution(
  { records, ledger, prices, retires = false }: BeginOptions,
  change: Change,
  account: string,
  facts: NewExecution,
  plan: Plan,
  now: number,
): Promise<{ execution: ExecutionRecord; progress: ProgressRecord }> {
  const credits =
    facts.extractOf === undefined
      ? estimateOf(plan, prices).credits
      : keptCreditsOf(
          plan,
          prices,
          plan.model === null ? 0 : await keptPages(records, account, facts.extractOf),
        )
  await ledger.reserve(change, account, facts, credits, now, async (terms) => {
    await demandRoom(records, account, terms.concurrentExecutions ?? null)
    await demandBytes(records, account, capsOf(terms).bytes)
  })
  const execution: ExecutionRecord = {
    ...facts,
    reserved: credits,
    status: 'queued',
    reason: null,
    createdAt: now,
    startedAt: null,
    finishedAt: null,
    updatedAt: now,
  }
  const progress = emptyProgress(execution.id)
  records.executions.insert(change, account, execution)
  records.progress.put(change, account, progress)
  enqueueExecution(records, change, account, execution, now)
  countBegin(records, change, account, execution)
  if (retires) await requestRetention(records, change, account, now)
  return { execution, progress }
}

async function keptPages(records: Records, account: string, execution: string): Promise<number> {
  return (await records.progress.get(account, execution))?.value.kept?.pages ?? 0
}
