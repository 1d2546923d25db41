import { eachPage, FEW } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import type { Caller, ExecutionRecord } from '../executions/records.ts'
import type { BucketSize, UsagePoint } from '../analytics/records.ts'
import {
  ALL_USAGE,
  BEGIN_AMOUNTS,
  bucketSizesOf,
  bucketStart,
  CALLER_USAGE,
  callerAmounts,
  endAmounts,
  pageAmounts,
  taskAmounts,
  taskSeriesOf,
  UNRECEIPTED_SERIES,
  unreceiptedUsage,
} from '../common/usage.ts'
import type { UsageAmounts } from '../common/usage.ts'
import { Pace } from '../../kernel/pace.ts'
import { isoTime } from '../common/time.ts'
import type { Findings } from './findings.ts'
import { Faults, readUntilStable } from './findings.ts'
import { KeyShare } from './key-share.ts'

/** A counter that differs from its visits and executions. */
export interface UsageFault {
  readonly series: string
  readonly size: BucketSize
  /** Start of the bucket, Unix milliseconds. */
  readonly start: number
  readonly metric: string
  readonly stored: number
  readonly found: number
}

/**
 * Maximum number of buckets whose counters are in memory. They take some 100 MB, if each has two
 * dozen.
 */
const MOST_BUCKETS = 50_000

/** The expected counters of a share of the buckets. */
class Expected {
  readonly #sums = new Map<string, UsageAmounts>()
  readonly #most: number
  #share: KeyShare
  /** Shares whose buckets were left out, because there were too many. */
  readonly left: KeyShare[] = []

  constructor(most: number, share: KeyShare) {
    this.#most = most
    this.#share = share
  }

  add(series: string, time: number, amounts: UsageAmounts): void {
    for (const size of bucketSizesOf(series)) {
      const key = JSON.stringify([series, size, bucketStart(size, time)])
      if (!this.#share.has(key)) continue
      const sums = this.#sums.get(key) ?? new Map<string, number>()
      for (const [metric, amount] of amounts) sums.set(metric, (sums.get(metric) ?? 0) + amount)
      this.#sums.set(key, sums)
      while (this.#sums.size > this.#most && this.#leaveHalf());
    }
  }

  /** Removes a counter and returns it. `null`: it belongs to another share. */
  take(series: string, size: BucketSize, start: number, metric: string): number | null {
    const key = JSON.stringify([series, size, start])
    if (!this.#share.has(key)) return null
    const sums = this.#sums.get(key)
    const amount = sums?.get(metric) ?? 0
    sums?.delete(metric)
    return amount
  }

  /** Calls back for each counter that was not removed. */
  async eachMissing(add: (fault: UsageFault) => void, pace: Pace): Promise<void> {
    for (const [key, sums] of this.#sums) {
      const [series, size, start]: [string, BucketSize, number] = JSON.parse(key)
      for (const [metric, counted] of sums)
        if (counted !== 0) add({ series, size, start, metric, stored: 0, found: counted })
      const rest = pace.step()
      if (rest) await rest
    }
  }

  #leaveHalf(): boolean {
    const halves = this.#share.halves()
    if (halves === null) return false
    const [half, other] = halves
    this.#share = half
    this.left.push(other)
    for (const key of this.#sums.keys()) if (!half.has(key)) this.#sums.delete(key)
    return true
  }
}

/** Computes the expected counters, with one pass for each share that fits in memory. */
async function eachShare(
  mostBuckets: number,
  compare: (expected: Expected) => Promise<void>,
): Promise<void> {
  const shares = [KeyShare.all()]
  for (let share = shares.pop(); share !== undefined; share = shares.pop()) {
    const expected = new Expected(mostBuckets, share)
    await compare(expected)
    shares.push(...expected.left)
  }
}

/**
 * Recomputes an account's usage counters from its visits and executions, and reports those that
 * differ. Nothing may write for the account during this call. Usage that has lost its receipt, or
 * never had one, was stored beside the counters when it was counted or deleted.
 */
export async function verifyUsage(
  records: Records,
  account: string,
  faults: Faults<UsageFault>,
  { until = -Infinity, pace = new Pace(), mostBuckets = MOST_BUCKETS }: UsageReading = {},
): Promise<void> {
  const add = (fault: UsageFault): void => {
    if (fault.start > until) faults.add(fault)
  }
  await eachShare(mostBuckets, (expected) => compareUsage(records, account, add, expected, pace))
}

async function compareUsage(
  records: Records,
  account: string,
  add: (fault: UsageFault) => void,
  expected: Expected,
  pace: Pace,
): Promise<void> {
  const addReceipt = async (execution: string, caller: Caller | undefined): Promise<void> => {
    for await (const visits of eachPage(records.visits, account, [execution]))
      for (const { value } of visits) {
        const amounts = pageAmounts([value])
        expected.add(ALL_USAGE, value.at, amounts)
        if (caller) expected.add(CALLER_USAGE, value.at, callerAmounts(caller, amounts))
        const rest = pace.step()
        if (rest) await rest
      }
  }
  for await (const execution of executionsOf(records, account)) {
    expected.add(ALL_USAGE, execution.createdAt, BEGIN_AMOUNTS)
    await addReceipt(execution.id, execution.startedBy)
    if (execution.finishedAt === null) continue
    expected.add(ALL_USAGE, execution.finishedAt, endAmounts(execution))
    const series = taskSeriesOf(execution)
    if (series === null) continue
    const progress = await records.progress.get(account, execution.id)
    expected.add(series, execution.finishedAt, taskAmounts(execution, progress?.value ?? null))
  }
  for await (const page of eachPage(records.retired, account))
    for (const { value } of page) await addReceipt(value.execution, value.startedBy)
  const stored = await records.usage.series(account)
  for (const name of stored) {
    const series = withReceipts(name)
    if (series === null) continue
    for (const { start, metric, value } of await readAll(records, account, name)) {
      expected.add(series, start, new Map([[metric, value]]))
      const rest = pace.step()
      if (rest) await rest
    }
  }
  const readable = stored.filter((name) => withReceipts(name) === null)
  for (const series of new Set([ALL_USAGE, ...readable])) {
    for (const size of bucketSizesOf(series)) {
      for (const { start, metric, value } of await readAll(records, account, series, size)) {
        const counted = expected.take(series, size, start, metric)
        if (counted !== null && counted !== value)
          add({ series, size, start, metric, stored: value, found: counted })
        const rest = pace.step()
        if (rest) await rest
      }
    }
  }
  await expected.eachMissing(add, pace)
}

/** Options for reading counters. */
export interface UsageReading {
  /**
   * Buckets of visits that begin at this time (Unix milliseconds) or earlier are left out, because
   * the visits may be deleted. Default: no bucket is left out.
   */
  readonly until?: number
  readonly pace?: Pace
  /** Maximum number of buckets whose counters are in memory. More are processed in several passes. */
  readonly mostBuckets?: number
}

/** The series that contains a series without receipts. `null`: the series has receipts. */
function withReceipts(series: string): string | null {
  if (!series.startsWith(UNRECEIPTED_SERIES)) return null
  return series.slice(series.indexOf(':', UNRECEIPTED_SERIES.length) + 1)
}

/** Reads all counters of a series, by default in its smallest buckets. */
function readAll(
  records: Records,
  account: string,
  series: string,
  size: BucketSize = bucketSizesOf(series)[0] ?? 'day',
): Promise<UsagePoint[]> {
  return records.usage.read(account, series, size, 0, Number.MAX_SAFE_INTEGER)
}

/**
 * Compares the counted credits with the ledger, which keeps the entries of deleted executions too.
 * It compares the total, and the credits of agents' `fetch` by quarter hours.
 */
export async function verifyCharges(
  records: Records,
  account: string,
  faults: Faults<UsageFault>,
  { pace = new Pace(), mostBuckets = MOST_BUCKETS }: Omit<UsageReading, 'until'> = {},
): Promise<void> {
  let paid = 0
  await eachShare(mostBuckets, async (expected) => {
    paid = await compareFetches(records, account, faults, expected, pace)
  })
  const months = creditsOf(await readAll(records, account, ALL_USAGE, 'month'))
  const counted = months.reduce((sum, { value }) => sum + value, 0)
  if (counted === paid) return
  const { start = 0 } = months.at(-1) ?? {}
  faults.add({
    series: ALL_USAGE,
    size: 'month',
    start,
    metric: CREDITS_OF_ALL,
    stored: counted,
    found: paid,
  })
}

/** Compares the credits of `fetch`. Returns the credits of all entries. */
async function compareFetches(
  records: Records,
  account: string,
  faults: Faults<UsageFault>,
  entries: Expected,
  pace: Pace,
): Promise<number> {
  const fetches = unreceiptedUsage('fetch', ALL_USAGE)
  let paid = 0
  for await (const page of eachPage(records.ledger, account))
    for (const { value } of page) {
      if (value.kind !== 'settle' && value.kind !== 'fetch') continue
      const credits = value.moves.revenue ?? 0
      paid += credits
      if (value.kind === 'fetch') entries.add(fetches, value.at, new Map([[CREDITS, credits]]))
    }
  for (const { start, value } of creditsOf(await readAll(records, account, fetches))) {
    const credits = entries.take(fetches, 'quarter', start, CREDITS)
    if (credits !== null && credits !== value)
      faults.add({
        series: fetches,
        size: 'quarter',
        start,
        metric: CREDITS,
        stored: value,
        found: credits,
      })
    const rest = pace.step()
    if (rest) await rest
  }
  await entries.eachMissing((fault) => faults.add(fault), pace)
  return paid
}

function creditsOf(points: readonly UsagePoint[]): UsagePoint[] {
  return points.filter(({ metric }) => metric === CREDITS)
}

const CREDITS = 'credits'
const CREDITS_OF_ALL = 'credits of all months'

async function* executionsOf(records: Records, account: string): AsyncGenerator<ExecutionRecord> {
  for await (const page of eachPage(records.executions, account, [], FEW))
    for (const { value } of page) yield value
}

/**
 * Recomputes an account's roll-ups from its receipts, its executions and its ledger. Roll-ups of
 * times whose receipts an earlier version has deleted cannot be recomputed and are skipped.
 */
export async function verifyRollUps(
  records: Records,
  account: string,
  findings: Findings,
): Promise<void> {
  // Every commit that counts usage, or deletes counted data, adds to one of these records.
  const { pace } = findings
  const read = async (): Promise<string> => {
    let text = ''
    for (const points of [
      await readAll(records, account, ALL_USAGE, 'month'),
      await readAll(records, account, unreceiptedUsage('deleted', ALL_USAGE)),
    ])
      for (const point of points) {
        text += JSON.stringify(point)
        const rest = pace.step()
        if (rest) await rest
      }
    return text
  }
  const deletedUntil = async (): Promise<number> => {
    const [retention, deletions] = [
      await records.retentions.get(account),
      await records.deletions.get(account),
    ]
    return Math.max(retention?.value.until ?? 0, deletions?.value.until ?? 0)
  }
  const came = await readUntilStable(async () => {
    const before = await read()
    const until = await deletedUntil()
    const faults = new Faults<UsageFault>(findings.mostListed)
    await verifyUsage(records, account, faults, { until, pace })
    await verifyCharges(records, account, faults, { pace })
    return { faults, stood: before === (await read()) && until === (await deletedUntil()) }
  })
  findings.checked('usage')
  if (came === null) return findings.unsettled('usage')
  for (const { series, size, start, metric, stored, found } of came.listed)
    await findings.addOne(
      'usage',
      account,
      `${series}, ${size} of ${isoTime(start)}`,
      `${metric} is ${stored}, the page reports come to ${found}`,
    )
  findings.count('usage', came.count - came.listed.length, false)
}
