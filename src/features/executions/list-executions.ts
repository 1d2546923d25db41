import { FIRST_LARGE } from '../../records/paginate.ts'
import { listRecords } from '../common/list-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import type { ListPage } from '../common/list-page.ts'
import { byId } from '../common/timed-records.ts'
import type { Core } from '../core.ts'
import { countIn, executionOf } from './execution.ts'
import type { Execution } from './execution.ts'
import { emptyProgress } from './records.ts'
import type { ExecutionRecord, ExecutionStatus } from './records.ts'

/** Filters of the list of executions. All conditions must hold. */
export interface ExecutionQuery extends CreatedQuery {
  readonly status?: ExecutionStatus
  readonly taskId?: string
}

/** A page of the executions of an account, or of one of its tasks, newest first. */
export function listExecutions(
  core: Core,
  account: string,
  operation: string,
  query: ExecutionQuery,
): Promise<ListPage<Execution>> {
  const { records } = core
  const { status, taskId } = query
  return listRecords(core, {
    account,
    operation,
    query,
    filter: [status ?? null, taskId ?? null],
    source: {
      collection: records.executions,
      keys: byId('exec'),
      timeOf: ({ createdAt }) => createdAt,
      ...(taskId !== undefined
        ? { index: 'task', within: [taskId] }
        : status !== undefined && { index: 'status', within: [status] }),
      countIn: countIn(taskId, status),
    },
    firstRead: FIRST_LARGE,
    ...(status !== undefined && {
      keep: (execution: ExecutionRecord) => execution.status === status,
    }),
    async show(items) {
      const progress = await records.progress.getMany(
        account,
        items.map(({ id }) => [id]),
      )
      return items.map((execution, i) =>
        executionOf(execution, progress[i]?.value ?? emptyProgress(execution.id)),
      )
    },
  })
}
