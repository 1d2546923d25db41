import { emitEvent } from '../../features/common/events.ts'
import { findDrift } from '../../features/executions/find-drift.ts'
import { readEnd } from '../../features/executions/lifecycle.ts'
import type { Core } from '../../features/core.ts'
import type { Batch, Part } from '../../features/ledger/batch.ts'
import type { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import { retryConflicts } from '../../records/retry.ts'
import type { Records } from '../../features/records.ts'
import type {
  Drift,
  ExecutionRecord,
  ProgressRecord,
  Reason,
} from '../../features/executions/records.ts'
import type { Fence } from './fence.ts'
import { Overtaken } from './fence.ts'

/** How an execution ended, and its results. */
export interface Ending {
  readonly status: 'succeeded' | 'failed' | 'timed_out'
  readonly reason: Reason | null
  /** Results to compare with earlier executions; absent if the run reached no page. */
  readonly found?: { readonly progress: ProgressRecord; readonly columns: readonly string[] }
}

/**
 * Moves a running execution to its final state, under the fence, and releases the fence. Executions
 * that end at the same time share one commit.
 *
 * @throws {Overtaken}
 */
export async function finish(
  options: Pick<Core, 'records' | 'ledger'>,
  account: string,
  id: string,
  fence: Fence,
  ending: Ending,
  now: number,
): Promise<void> {
  const { records, ledger } = options
  const read: Part['read'] = async (batch) => {
    const execution = await records.executions.get(account, id)
    if (execution?.value.status !== 'running') throw new Overtaken()
    const [end, compare] = await Promise.all([
      readEnd(options, batch, execution),
      readUsual(records, batch, execution.value, ending),
    ])
    return (change) => {
      const drift = compare(change, now)
      end(change, ending.status, {
        now,
        byWorker: true,
        ...(ending.reason && { reason: ending.reason }),
        ...(drift.length > 0 && { drift }),
      })
      fence.require(change)
    }
  }
  // Another process may end an execution at the same moment. Then the task's usual fill rates or
  // the account's records have changed, and this is computed again.
  const isEnded = await retryConflicts(() => ledger.together(account, { execution: id, now, read }))
  if (!isEnded) throw new Overtaken()
}

/**
 * Reads the usual fill rates of the task. The returned function finds columns that are emptier than
 * usual, and adds the new rates and the notifications to a commit.
 */
async function readUsual(
  records: Records,
  batch: Batch,
  execution: ExecutionRecord,
  { found }: Ending,
): Promise<(change: Change, now: number) => readonly Drift[]> {
  const { account } = batch
  const { id, taskId, extractOf, failedOf } = execution
  // Only ordinary runs are compared: a run over kept pages shows nothing about the site, and one
  // over failed pages shows little.
  const isOdd = extractOf !== undefined || failedOf !== undefined
  if (taskId === null || isOdd || !found || found.progress.extracted === 0) return () => []
  const [task, usual] = await Promise.all([
    records.tasks.get(account, taskId),
    batch.health.open(taskId),
  ])
  if (!task) return () => []
  return (change, now) => {
    const { drift, health } = findDrift(
      usual.value,
      execution,
      found.progress,
      found.columns,
      taskId,
      now,
    )
    usual.value = health
    if (drift.length > 0) {
      records.outbox.put(change, SYSTEM, {
        id: `relocate:${id}`,
        kind: 'relocate',
        data: { account, execution: id },
        lane: 'long',
        at: 0,
      })
      emitEvent(records, change, {
        account,
        type: 'task.drift',
        id: `evt_${id}_drift`,
        at: now,
        data: {
          taskId,
          executionId: id,
          fields: drift.map(({ field, usual: before, now: share }) => ({
            field,
            usual: before,
            now: share,
          })),
        },
        taskId,
      })
    }
    return drift
  }
}
