import type { Records } from '../../records/records.ts'
import type { BucketSize } from '../../records/usage-records.ts'
import { bucketStart } from './usage.ts'
import type { UsageAmounts } from './usage.ts'

const SMALLER: Readonly<Record<BucketSize, BucketSize | null>> = {
  month: 'day',
  day: 'hour',
  hour: 'quarter',
  quarter: null,
}
const LENGTH = { quarter: 900_000, hour: 3_600_000, day: 86_400_000 }

/** Buckets of one size that follow one another: those that start in `[from, to)`. */
interface Run {
  readonly size: BucketSize
  readonly from: number
  readonly to: number
}

/**
 * Sums of an account's counters in `[from, to)`, both on quarter hours: of the largest buckets that
 * fit. It costs at most 115 buckets, and one more for each month, however much there was to count.
 * Of `totals`, reasons and durations are left out.
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
  const found = await Promise.all(
    runsOf('month', from, to).map((run) =>
      records.usage.read(account, series, run.size, run.from, run.to, part),
    ),
  )
  for (const { metric, value } of found.flat()) sums.set(metric, (sums.get(metric) ?? 0) + value)
  return sums
}

/** The buckets that make up a time: whole ones of this size, and smaller ones before and after them. */
export function runsOf(size: BucketSize, from: number, to: number): Run[] {
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

function next(size: BucketSize, at: number): number {
  const start = bucketStart(size, at)
  if (size !== 'month') return start + LENGTH[size]
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
