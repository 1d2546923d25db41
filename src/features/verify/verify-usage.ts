import { eachPage, FEW } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import type { ExecutionRecord } from '../executions/records.ts'
import type { BucketSize } from '../analytics/records.ts'
import {
  ALL_USAGE,
  BUCKET_SIZES,
  bucketStart,
  endAmounts,
  pageAmounts,
  taskAmounts,
  taskUsage,
} from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { isoTime } from '../common/time.ts'
import type { Findings } from './findings.ts'
import { readUntilStable } from './findings.ts'

/** A counter that differs from the visits and executions. */
interface UsageFault {
  readonly series: string
  readonly size: BucketSize
  /** Start of the bucket, Unix milliseconds. */
  readonly start: number
  readonly metric: string
  readonly stored: number
  readonly found: number
}

/**
 * Recomputes an account's usage counters from its visits and executions, and lists the differences.
 * Nothing may write for the account during this call. Executions that are no longer kept count as
 * differences.
 */
export async function verifyUsage(records: Records, account: string): Promise<UsageFault[]> {
  const found = new Map<string, UsageAmounts>()
  const add = (series: string, at: number, amounts: UsageAmounts): void => {
    for (const size of BUCKET_SIZES) {
      const key = JSON.stringify([series, size, bucketStart(size, at)])
      const sums = found.get(key) ?? new Map<string, number>()
      for (const [metric, amount] of amounts) sums.set(metric, (sums.get(metric) ?? 0) + amount)
      found.set(key, sums)
    }
  }
  const tasks = new Set<string>()
  for await (const execution of executionsOf(records, account)) {
    add(ALL_USAGE, execution.createdAt, new Map([['run:started', 1]]))
    for await (const visits of eachPage(records.visits, account, [execution.id]))
      for (const { value } of visits) add(ALL_USAGE, value.at, pageAmounts([value]))
    if (execution.finishedAt === null) continue
    add(ALL_USAGE, execution.finishedAt, endAmounts(execution))
    if (execution.taskId === null) continue
    tasks.add(execution.taskId)
    const progress = await records.progress.get(account, execution.id)
    add(
      taskUsage(execution.taskId),
      execution.finishedAt,
      taskAmounts(execution, progress?.value ?? null),
    )
  }
  const faults: UsageFault[] = []
  for (const series of [ALL_USAGE, ...[...tasks].map(taskUsage)]) {
    for (const size of BUCKET_SIZES) {
      for (const { start, metric, value } of await records.usage.read(
        account,
        series,
        size,
        0,
        Number.MAX_SAFE_INTEGER,
      )) {
        const sums = found.get(JSON.stringify([series, size, start]))
        const expected = sums?.get(metric) ?? 0
        sums?.delete(metric)
        if (expected !== value)
          faults.push({ series, size, start, metric, stored: value, found: expected })
      }
    }
  }
  for (const [key, sums] of found) {
    const [series, size, start]: [string, BucketSize, number] = JSON.parse(key)
    for (const [metric, amount] of sums)
      if (amount !== 0) faults.push({ series, size, start, metric, stored: 0, found: amount })
  }
  return faults
}

async function* executionsOf(records: Records, account: string): AsyncGenerator<ExecutionRecord> {
  for await (const page of eachPage(records.executions, account, [], FEW))
    for (const { value } of page) yield value
}

/**
 * Recomputes an account's roll-ups from its receipts and executions. Roll-ups of times whose
 * receipts were deleted cannot be recomputed and are skipped.
 */
export async function verifyRollUps(
  records: Records,
  account: string,
  findings: Findings,
): Promise<void> {
  // Every commit that counts anything adds to these.
  const read = async (): Promise<string> =>
    JSON.stringify(
      await records.usage.read(account, ALL_USAGE, 'month', 0, Number.MAX_SAFE_INTEGER),
    )
  const wrong: { subject: string; message: string }[] = []
  const came = await readUntilStable(async () => {
    const before = await read()
    const faults = await verifyUsage(records, account)
    const until = (await records.retentions.get(account))?.value.until ?? 0
    const known = faults.filter(({ start }) => start > until)
    wrong.splice(
      0,
      wrong.length,
      ...known.map(({ series, size, start, metric, stored, found }) => ({
        subject: `${series}, ${size} of ${isoTime(start)}`,
        message: `${metric} is ${stored}, its receipts come to ${found}`,
      })),
    )
    return { faults: wrong.map(({ message }) => message), stood: before === (await read()) }
  })
  findings.checked('usage')
  if (came === null) return findings.unsettled('usage')
  for (const { subject, message } of wrong) findings.add('usage', account, subject, [message])
}
