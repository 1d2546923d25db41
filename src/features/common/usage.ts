import type { Change } from '../../records/change.ts'
import { isVisited } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { ExecutionRecord, ProgressRecord, VisitRecord } from '../executions/records.ts'
import type { BucketSize } from '../analytics/records.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time.ts'

/**
 * Amounts by metric: `page:<outcome>`, `rows`, `bytes`, `credits`, `error:<reason>`, `run:<what>`,
 * `time:<n>`.
 */
export type UsageAmounts = Map<string, number>

/** Series of the counters of a whole account. */
export const ALL_USAGE = 'all'

/** Series of the counters of one task: its executions that ended, at the time of their end. */
export function taskUsage(id: string): string {
  return `task:${id}`
}

const LENGTHS = { quarter: 15 * MINUTE_MS, hour: HOUR_MS, day: DAY_MS }
/** Every counter is stored in buckets of each size. */
export const BUCKET_SIZES: readonly BucketSize[] = ['quarter', 'hour', 'day', 'month']

/**
 * Step of the duration histogram. Durations in one step differ by less than 5 % from the value it
 * is read as.
 */
const STEP = Math.log(1.05 / 0.95)
/**
 * Reason codes of HTTP statuses. Sites and an application's own page processors can give more
 * different codes than a report can show.
 */
const HTTP_CODE = /^http_([1-5])(\d\d)$/
const OWN_CODES: ReadonlySet<string> = new Set([
  'timeout',
  'dns',
  'connection',
  'tls',
  'protocol',
  'challenge',
  'too_large',
  'site_unreachable',
  'internal_error',
  'host_paused',
  'invalid_url',
  'empty',
  'media_limit',
  'page_too_costly',
])
const HTTP_CODES: ReadonlySet<string> = new Set(
  (
    '400 401 402 403 404 405 406 408 409 410 418 421 422 423 425 426 429 431 451 500 501 ' +
    '502 503 504 505 507 508 511 520 521 522 523 524 525 526'
  ).split(' '),
)

/** Start of the bucket of a time. */
export function bucketStart(size: BucketSize, at: number): number {
  if (size !== 'month') return Math.floor(at / LENGTHS[size]) * LENGTHS[size]
  const date = new Date(at)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The histogram step of a duration. */
export function durationStep(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.ceil(Math.log(ms) / STEP)
}

/** The duration of a step, in ms. All durations of the step differ from it by less than 5 %. */
export function durationOfStep(step: number): number {
  return step === 0 ? 0 : Math.round(Math.exp((step - 1) * STEP) * 0.95)
}

/**
 * Maps a reason to one of about a hundred names, whatever sites answer. Other HTTP codes become
 * `http_4xx` or similar, other reasons `other`.
 */
export function reasonMetric(code: string): string {
  const http = HTTP_CODE.exec(code)
  if (http)
    return `error:${HTTP_CODES.has(code.slice('http_'.length)) ? code : `http_${http[1]}xx`}`
  return `error:${OWN_CODES.has(code) ? code : 'other'}`
}

/** Amounts that pages add to their account. */
export function pageAmounts(visits: readonly VisitRecord[]): UsageAmounts {
  const amounts: UsageAmounts = new Map()
  for (const { outcome, reason, rows, bytes, credits } of visits) {
    increase(amounts, `page:${outcome}`, 1)
    if (isVisited(outcome)) increase(amounts, 'pages', 1)
    increase(amounts, 'rows', rows)
    increase(amounts, 'bytes', bytes)
    increase(amounts, 'credits', credits)
    if (reason && (outcome === 'failed' || outcome === 'blocked'))
      increase(amounts, reasonMetric(reason.code), 1)
  }
  return amounts
}

/** Amounts that the end of an execution adds to its account. */
export function endAmounts({ status, startedAt, finishedAt }: ExecutionRecord): UsageAmounts {
  const amounts: UsageAmounts = new Map([[`run:${status}`, 1]])
  if (startedAt !== null && finishedAt !== null)
    amounts.set(`time:${durationStep(finishedAt - startedAt)}`, 1)
  return amounts
}

/** Amounts that the end of an execution adds to its task: its end, and all its counters. */
export function taskAmounts(
  execution: ExecutionRecord,
  progress: ProgressRecord | null,
): UsageAmounts {
  const amounts = endAmounts(execution)
  if (!progress) return amounts
  for (const [outcome, count] of Object.entries(progress.outcomes))
    increase(amounts, `page:${outcome}`, count)
  increase(amounts, 'pages', progress.visited)
  increase(amounts, 'rows', progress.rows)
  increase(amounts, 'bytes', progress.bytes)
  increase(amounts, 'credits', progress.credits)
  for (const [code, count] of Object.entries(progress.errors))
    increase(amounts, reasonMetric(code), count)
  return amounts
}

/** Counts pages in the commit that settles them. All pages of one commit have the same time. */
export function countPages(
  records: Records,
  change: Change,
  account: string,
  visits: readonly VisitRecord[],
): void {
  const [first] = visits
  if (first) addTo(records, change, account, ALL_USAGE, first.at, pageAmounts(visits))
}

/** Counts the start of an execution in the commit that creates it. */
export function countBegin(
  records: Records,
  change: Change,
  account: string,
  { createdAt }: ExecutionRecord,
): void {
  addTo(records, change, account, ALL_USAGE, createdAt, new Map([['run:started', 1]]))
}

/** Counts the end of an execution in the commit that ends it. */
export function countEnd(
  records: Records,
  change: Change,
  account: string,
  execution: ExecutionRecord,
  progress: ProgressRecord | null,
): void {
  const at = execution.finishedAt ?? execution.updatedAt
  addTo(records, change, account, ALL_USAGE, at, endAmounts(execution))
  if (execution.taskId !== null)
    addTo(
      records,
      change,
      account,
      taskUsage(execution.taskId),
      at,
      taskAmounts(execution, progress),
    )
}

function addTo(
  records: Records,
  change: Change,
  account: string,
  series: string,
  at: number,
  amounts: UsageAmounts,
): void {
  for (const size of BUCKET_SIZES) {
    const start = bucketStart(size, at)
    for (const [metric, amount] of amounts)
      records.usage.add(change, account, series, size, start, metric, amount)
  }
}

function increase(amounts: UsageAmounts, metric: string, amount: number): void {
  if (amount !== 0) amounts.set(metric, (amounts.get(metric) ?? 0) + amount)
}

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
 * Sums of an account's counters in `[from, to)`, both on quarter hours, from the largest buckets
 * that fit. It reads at most 115 buckets, and one more for each month, whatever the amount of
 * usage. For `totals`, reasons and durations are omitted.
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

/** The buckets that cover a period: whole ones of this size, and smaller ones before and after them. */
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

function next(size: BucketSize, at: number): number {
  const start = bucketStart(size, at)
  if (size !== 'month') return start + LENGTHS[size]
  const date = new Date(start)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
