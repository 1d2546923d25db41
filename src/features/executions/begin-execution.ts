import type { Change } from '../../records/change.ts'
import { emptyProgress } from '../../records/progress.ts'
import type { Records } from '../../records/records.ts'
import type { ExecutionRecord, ProgressRecord } from '../../records/types.ts'
import { enqueueExecution } from './transitions.ts'

/** What is decided of an execution before it begins. */
export type NewExecution = Pick<ExecutionRecord, 'id' | 'taskId' | 'templateId' | 'recipe' | 'retryOf' | 'datasetId' | 'partial' | 'scheduledFor'>

/** Adds an execution to a commit, with everything that its beginning calls for. */
export function beginExecution(records: Records, change: Change, account: string, facts: NewExecution, now: number): { execution: ExecutionRecord; progress: ProgressRecord } {
  const execution: ExecutionRecord = { ...facts, status: 'queued', reason: null, createdAt: now, startedAt: null, finishedAt: null, updatedAt: now }
  const progress = emptyProgress(execution.id)
  records.executions.insert(change, account, execution)
  records.progress.put(change, account, progress)
  enqueueExecution(records, change, account, execution, now)
  return { execution, progress }
}
