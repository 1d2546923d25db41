import { moveExecution } from '../features/executions/transitions.ts'
import { Change } from '../records/change.ts'
import type { Records } from '../records/records.ts'
import type { Reason } from '../records/types.ts'
import type { Fence } from './fence.ts'
import { Overtaken } from './journal.ts'

/** Moves a running execution to its final state, under the fence, and gives the fence back. @throws {Overtaken} */
export async function finish(records: Records, account: string, id: string, fence: Fence, end: { status: 'succeeded' | 'failed' | 'timed_out'; reason: Reason | null }, now: number): Promise<void> {
  const execution = await records.executions.get(account, id)
  if (execution?.value.status !== 'running') throw new Overtaken()
  const change = new Change()
  moveExecution(records, change, account, execution, end.status, { now, ...(end.reason && { reason: end.reason }) })
  fence.require(change)
  if (!(await records.commit(change))) throw new Overtaken()
}
