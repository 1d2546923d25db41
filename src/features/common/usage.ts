import type { Change } from '../../records/change.ts'
import { isVisited } from '../executions/records.ts'
import type { Records } from '../records.ts'
import type { Caller, ExecutionRecord, ProgressRecord, VisitRecord } from '../executions/records.ts'
import type { BucketSize } from '../analytics/records.ts'
import type { Principal } from '../../kernel/http/route.ts'
import { shortKey } from '../../kernel/short-key.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../kernel/time.ts'

/**
 * Amounts by metric: `pages`, `page:<outcome>`, `rows`, `bytes`, `credits`, `error:<reason>`,
 * `run:<what>`, `time:<n>`.
 */
export type UsageAmounts = Map<string, number>

/** Series of the counters of a whole account. */
export const ALL_USAGE = 'all'

/** Series of the counters of one task: its executions that ended, at the time of their end. */
export function taskUsage(id: string): string {
  return `${TASK_SERIES}${id}`
}

/** Start of the name of each task's series. */
export const TASK_SERIES = 'task:'

/**
 * Series of usage without a task: executions without a task, at their end, and pages outside
 * executions.
 */
export const NO_TASK_USAGE = taskUsage('~')

/** Series of the pages, bytes and credits of each caller by day. Its metrics name the caller. */
export const CALLER_USAGE = 'callers'

/**
 * Kinds of usage that no receipt contains: pages outside executions, and pages of deleted receipts.
 * `fetch`: agents' tool. `preview`: previews and detection.
 */
export type Unreceipted = 'fetch' | 'preview' | 'deleted'

/** Series of the part of another series that has no receipt. `verify` reads it in place of receipts. */
export function unreceiptedUsage(of: Unreceipted, series: string): string {
  return `${UNRECEIPTED_SERIES}${of}:${series}`
}

/** Start of the name of each series of {@link unreceiptedUsage}. */
export const UNRECEIPTED_SERIES = 'unreceipted:'

/** The caller of a request. */
export function callerOf({ user, key }: Pick<Principal, 'user' | 'key'>): Caller {
  return { user, key: key ?? null }
}

/** Length of a bucket, in ms. Months have different lengths. */
export const BUCKET_MS = { quarter: 15 * MINUTE_MS, hour: HOUR_MS, day: DAY_MS }
/** Sizes of the buckets of counters that reports read. */
const BUCKET_SIZES: readonly BucketSize[] = ['quarter', 'hour', 'day', 'month']

/** The sizes of buckets that a series is stored in. */
export function bucketSizesOf(series: string): readonly BucketSize[] {
  if (series.endsWith(CALLER_USAGE)) return ['day']
  return series.startsWith(UNRECEIPTED_SERIES) ? ['quarter'] : BUCKET_SIZES
}

/**
 * Step of the duration histogram. Durations in one step differ by less than 5 % from the value that
 * reports show for it.
 */
const STEP = Math.log(1.05 / 0.95)
/**
 * Reason codes of HTTP statuses that reports show. Sites and an application's own page processors
 * can produce more codes than a report can show.
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
export function bucketStart(size: BucketSize, time: number): number {
  if (size !== 'month') return Math.floor(time / BUCKET_MS[size]) * BUCKET_MS[size]
  const date = new Date(time)
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
 * Maps a reason to one of about a hundred names, so that sites cannot add more. Other HTTP codes
 * become `http_4xx` or similar, other reasons `other`.
 */
export function reasonMetric(code: string): string {
  const http = HTTP_CODE.exec(code)
  if (http)
    return `error:${HTTP_CODES.has(code.slice('http_'.length)) ? code : `http_${http[1]}xx`}`
  return `error:${OWN_CODES.has(code) ? code : 'other'}`
}

/** The facts of a visit that are counted. */
export type CountedPage = Pick<VisitRecord, 'outcome' | 'reason' | 'rows' | 'bytes' | 'credits'>

/** Amounts that pages add to their account. */
export function pageAmounts(visits: readonly CountedPage[]): UsageAmounts {
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

/** The metrics that are counted by caller. */
export const CALLER_METRICS = ['pages', 'bytes', 'credits'] as const

/** A metric that is counted by caller. */
export type CallerMetric = (typeof CALLER_METRICS)[number]

/** Amounts of a series of callers. */
export function callerAmounts({ user, key }: Caller, amounts: UsageAmounts): UsageAmounts {
  const name = `${encodeURIComponent((key ?? '').toWellFormed())} ${shortKey(user.toWellFormed())}`
  return new Map(
    CALLER_METRICS.flatMap((metric): [string, number][] => {
      const amount = amounts.get(metric) ?? 0
      return amount === 0 ? [] : [[`${metric} ${name}`, amount]]
    }),
  )
}

/** The caller of a metric of {@link callerAmounts}, and the counted metric. */
export function readCallerMetric(name: string): { caller: Caller; metric: CallerMetric } {
  const [metric, key = '', ...user] = name.split(' ')
  return {
    metric: CALLER_METRICS.find((candidate) => candidate === metric) ?? 'pages',
    caller: { user: user.join(' '), key: key === '' ? null : decodeURIComponent(key) },
  }
}

/** Counts pages in the commit that settles them. All pages of one commit have the same time. */
export function countPages(
  records: Records,
  change: Change,
  account: string,
  visits: readonly VisitRecord[],
  caller: Caller | undefined,
): void {
  const [first] = visits
  if (!first) return
  const amounts = pageAmounts(visits)
  addUsage(records, change, account, ALL_USAGE, first.at, amounts)
  if (caller)
    addUsage(records, change, account, CALLER_USAGE, first.at, callerAmounts(caller, amounts))
}

/** Counts pages that were fetched outside executions, which have no receipt. */
export function countOutside(
  records: Records,
  change: Change,
  account: string,
  of: 'fetch' | 'preview',
  pages: readonly CountedPage[],
  caller: Caller,
  time: number,
): void {
  const amounts = pageAmounts(pages)
  for (const [series, counted] of [
    [ALL_USAGE, amounts],
    [NO_TASK_USAGE, amounts],
    [CALLER_USAGE, callerAmounts(caller, amounts)],
  ] as const) {
    addUsage(records, change, account, series, time, counted)
    addUsage(records, change, account, unreceiptedUsage(of, series), time, counted)
  }
}

/** Amounts that the start of an execution adds to its account. */
export const BEGIN_AMOUNTS: UsageAmounts = new Map([['run:started', 1]])

/** Counts the start of an execution in the commit that creates it. */
export function countBegin(
  records: Records,
  change: Change,
  account: string,
  { createdAt }: ExecutionRecord,
): void {
  addUsage(records, change, account, ALL_USAGE, createdAt, BEGIN_AMOUNTS)
}

/**
 * The series that an execution is part of after its end. An execution without a task from an
 * earlier version, which stored no caller, is part of none.
 */
export function taskSeriesOf({ taskId, startedBy }: ExecutionRecord): string | null {
  if (taskId !== null) return taskUsage(taskId)
  return startedBy ? NO_TASK_USAGE : null
}

/** Counts the end of an execution in the commit that ends it. */
export function countEnd(
  records: Records,
  change: Change,
  account: string,
  execution: ExecutionRecord,
  progress: ProgressRecord | null,
): void {
  const end = execution.finishedAt ?? execution.updatedAt
  addUsage(records, change, account, ALL_USAGE, end, endAmounts(execution))
  const series = taskSeriesOf(execution)
  if (series !== null)
    addUsage(records, change, account, series, end, taskAmounts(execution, progress))
}

/** Adds to a series, in buckets of each of its sizes. */
export function addUsage(
  records: Records,
  change: Change,
  account: string,
  series: string,
  time: number,
  amounts: UsageAmounts,
): void {
  for (const size of bucketSizesOf(series)) {
    const start = bucketStart(size, time)
    for (const [metric, amount] of amounts)
      records.usage.add(change, account, series, size, start, metric, amount)
  }
}

function increase(amounts: UsageAmounts, metric: string, amount: number): void {
  if (amount !== 0) amounts.set(metric, (amounts.get(metric) ?? 0) + amount)
}
