import type { BucketSize } from '../analytics/records.ts'
import type { Records } from '../records.ts'
import { BUCKET_MS, bucketStart } from './usage.ts'
import type { UsageAmounts } from './usage.ts'

const SMALLER: Readonly<Record<BucketSize, BucketSize | null>> = {
  month: 'day',
  day: 'hour',
  hour: 'quarter',
  quarter: null,
}

/** Consecutive buckets of one size: those that start in `[from, to)`. */
interface Run {
  readonly size: BucketSize
  readonly from: number
  readonly to: number
}

/**
 * Sums of an account's counters in `[from, to)`. Both times are quarter hours. The largest buckets
 * that fit are used. It reads at most 115 buckets, and one more for each month, whatever the amount
 * of usage. For `totals`, reasons and durations are omitted.
 */
export async function readUsage(
  records: Records,
  account: string,
  series: string,
  from: number,
  to: number,
  part: 'totals' | 'all' = 'all',
): Promise<UsageAmounts> {
  const sums: UsageAmounts = new Map()
  const points = await Promise.all(
    runsOf('month', from, to).map((run) =>
      records.usage.read(account, series, run.size, run.from, run.to, part),
    ),
  )
  for (const { metric, value } of points.flat()) sums.set(metric, (sums.get(metric) ?? 0) + value)
  return sums
}

/** The buckets that cover a period: whole ones of this size, with smaller ones before and after. */
function runsOf(size: BucketSize, from: number, to: number): Run[] {
  if (from >= to) return []
  const smaller = SMALLER[size]
  if (smaller === null) return [{ size, from, to }]
  const first = bucketStart(size, from) === from ? from : next(size, from)
  const last = bucketStart(size, to)
  if (first >= last) return runsOf(smaller, from, to)
  return [
    ...runsOf(smaller, from, first),
    { size, from: first, to: last },
    ...runsOf(smaller, last, to),
  ]
}

function next(size: BucketSize, time: number): number {
  const start = bucketStart(size, time)
  if (size !== 'month') return start + BUCKET_MS[size]
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
