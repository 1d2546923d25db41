import { emitEvent } from '../features/common/emit-event.ts'
import { findDrift } from '../features/executions/find-drift.ts'
import { endExecution } from '../features/executions/end-execution.ts'
import type { EndOptions } from '../features/executions/end-execution.ts'
import { Change } from '../records/change.ts'
import type { Records } from '../records/records.ts'
import type { Drift, ExecutionRecord, ProgressRecord, Reason } from '../records/types.ts'
import type { Fence } from './fence.ts'
import { Overtaken } from './journal.ts'

const TRIES = 8

/** How an execution ended, and what it found. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'timed_out'
  readonly reason: Reason | null
  /** What was extracted, to be compared with earlier executions; absent where the run came to no page. */
  readonly found?: { readonly progress: ProgressRecord; readonly columns: readonly string[] }
}

/** Moves a running execution to its final state, under the fence, and gives the fence back. @throws {Overtaken} */
export async function finish(options: EndOptions, account: string, id: string, fence: Fence, ending: Ending, now: number): Promise<void> {
  const { records } = options
  const attempt = async (): Promise<boolean> => {
    const execution = await records.executions.get(account, id)
    if (execution?.value.status !== 'running') throw new Overtaken()
    const change = new Change()
    const drift = await compare(records, change, account, execution.value, ending, now)
    await endExecution(options, change, account, execution, ending.status, { now, ...(ending.reason && { reason: ending.reason }), ...(drift.length > 0 && { drift }) })
    fence.require(change)
    return records.commit(change)
  }
  // Another execution may end at the same moment: it changed what is usual for the task, or what the account has.
  for (let tries = 1; tries <= TRIES; tries++) if (await options.ledger.alone(account, attempt)) return
  throw new Overtaken()
}

/** Finds the columns that are filled less than usual, and adds to the commit what to remember and whom to tell. */
async function compare(records: Records, change: Change, account: string, execution: ExecutionRecord, { found }: Ending, now: number): Promise<Drift[]> {
  const { id, taskId } = execution
  if (taskId === null || !found || found.progress.extracted === 0) return []
  const [task, before] = await Promise.all([records.tasks.get(account, taskId), records.health.get(account, taskId)])
  if (!task) return []
  const { drift, health } = findDrift(before?.value ?? null, execution, found.progress, found.columns, taskId, now)
  if (before) records.health.update(change, account, before, health)
  else records.health.insert(change, account, health)
  if (drift.length > 0) emitEvent(records, change, { account, type: 'task.drift', id: `evt_${id}_drift`, at: now, data: { taskId, executionId: id, fields: drift.map(({ field, usual, now: share }) => ({ field, usual, now: share })) }, taskId })
  return drift
}
