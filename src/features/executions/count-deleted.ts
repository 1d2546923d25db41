import type { Change } from '../../records/change.ts'
import {
  addUsage,
  ALL_USAGE,
  BEGIN_AMOUNTS,
  CALLER_USAGE,
  callerAmounts,
  endAmounts,
  pageAmounts,
  taskAmounts,
  taskSeriesOf,
  unreceiptedUsage,
} from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import type { Records } from '../records.ts'
import type { Caller, ExecutionRecord, ProgressRecord, VisitRecord } from './records.ts'

/**
 * Stores the usage of a finished execution in the commit that deletes it. The account keeps its
 * counters, and `verify` then compares them with this record.
 */
export function countDeleted(
  records: Records,
  change: Change,
  account: string,
  execution: ExecutionRecord,
  progress: ProgressRecord | null,
): void {
  const { createdAt, finishedAt } = execution
  const note = (series: string, index: number, amounts: UsageAmounts): void =>
    addUsage(records, change, account, unreceiptedUsage('deleted', series), index, amounts)
  note(ALL_USAGE, createdAt, BEGIN_AMOUNTS)
  if (finishedAt === null) return
  note(ALL_USAGE, finishedAt, endAmounts(execution))
  const series = taskSeriesOf(execution)
  if (series !== null) note(series, finishedAt, taskAmounts(execution, progress))
}

/** The same for its visits, in each commit that erases some. */
export function countErased(
  records: Records,
  change: Change,
  account: string,
  visits: readonly VisitRecord[],
  caller: Caller | undefined,
): void {
  // Visits of one commit share its time.
  for (const [moment, group] of Map.groupBy(visits, (visit) => visit.at)) {
    const amounts = pageAmounts(group)
    addUsage(records, change, account, unreceiptedUsage('deleted', ALL_USAGE), moment, amounts)
    if (caller)
      addUsage(
        records,
        change,
        account,
        unreceiptedUsage('deleted', CALLER_USAGE),
        moment,
        callerAmounts(caller, amounts),
      )
  }
}
