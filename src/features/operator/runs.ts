import type { KeyPart } from '../../kernel/key.ts'
import { SYSTEM } from '../../records/collection.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import { isoTime, isoTimeOrNull } from '../common/time.ts'
import { rangeOf } from '../common/time-range.ts'
import { byId, pageOfRecords } from '../common/timed-records.ts'
import type { Core } from '../core.ts'
import { emptyProgress } from '../executions/records.ts'
import type { ExecutionRecord, ExecutionStatus, ProgressRecord } from '../executions/records.ts'
import type { OperatorRun, StuckRun } from './answers.ts'
import type { OperatorRecords } from './records.ts'
import { openStuck, STUCK_STATES } from './stuck.ts'
import { walkAccounts } from './walk.ts'

/** Filters of the runs of all accounts. All conditions must hold. */
export interface OperatorRunsQuery extends ListQuery {
  readonly account?: string
  readonly status?: ExecutionStatus
}

/** Records of runs contain recipes, so few are read at a time. */
const FIRST_READ = 5
/** In place of a state: runs of every state. */
const EVERY = ''

/** Opens the runs of all accounts. */
export function openRuns(
  core: Core,
  operatorRecords: OperatorRecords,
  facts: { readonly readsJobs: boolean; readonly hasWorker: () => Promise<boolean> },
) {
  const { records, cursors } = core
  const stuck = openStuck({ core, ...facts })

  const shown = async (account: string, runs: readonly ExecutionRecord[]) => {
    const progress = await records.progress.getMany(
      account,
      runs.map(({ id }) => [id]),
    )
    return runs.map((run, i) => runOf(account, run, progress[i]?.value ?? emptyProgress(run.id)))
  }
  const readOf = async (
    account: string,
    status: string,
    after: readonly KeyPart[] | null,
    limit: number,
  ) => {
    const page = await pageOfRecords<ExecutionRecord>(
      account,
      {
        collection: records.executions,
        keys: byId('exec'),
        timeOf: ({ createdAt }) => createdAt,
        ...(status !== EVERY && { index: 'status', within: [status] }),
      },
      { range: rangeOf({}), after, limit, firstRead: FIRST_READ },
    )
    return { items: await shown(account, page.items), next: page.next }
  }
  const readStuck = async (
    account: string,
    status: string,
    after: readonly KeyPart[] | null,
    limit: number,
  ) => {
    const { items, next } = await stuck.read(account, status, after, limit)
    const runs = await shown(
      account,
      items.map(({ run }) => run),
    )
    return {
      items: items.flatMap((item, i) => {
        const run = runs[i]
        return run === undefined ? [] : [{ ...run, stuck: item.stuck }]
      }),
      next,
    }
  }

  return {
    /** Runs are in order of accounts. Within an account, the newest comes first. */
    list: ({ account, status, ...query }: OperatorRunsQuery): Promise<ListPage<OperatorRun>> =>
      readPage(
        cursors,
        {
          account: SYSTEM,
          operation: 'operator.runs',
          filter: [account ?? null, status ?? null],
        },
        query,
        (after, limit) =>
          account === undefined
            ? walkAccounts(operatorRecords, {
                after,
                limit,
                parts: [status ?? EVERY],
                read: readOf,
              })
            : readOf(account, status ?? EVERY, after, limit),
      ),

    stuck: (query: ListQuery): Promise<ListPage<StuckRun>> =>
      readPage(
        cursors,
        { account: SYSTEM, operation: 'operator.stuck', filter: null },
        query,
        (after, limit) =>
          walkAccounts(operatorRecords, { after, limit, parts: STUCK_STATES, read: readStuck }),
      ),
  }
}

function runOf(account: string, run: ExecutionRecord, progress: ProgressRecord): OperatorRun {
  const { id, taskId, status, reason, reserved = 0 } = run
  const { visited, rows, credits, outcomes } = progress
  return {
    id,
    account,
    taskId,
    status,
    reason,
    createdAt: isoTime(run.createdAt),
    startedAt: isoTimeOrNull(run.startedAt),
    finishedAt: isoTimeOrNull(run.finishedAt),
    updatedAt: isoTime(run.updatedAt),
    pages: visited,
    failed: (outcomes.failed ?? 0) + (outcomes.blocked ?? 0),
    rows,
    credits,
    reserved,
  }
}
