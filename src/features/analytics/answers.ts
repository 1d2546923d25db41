import * as v from 'valibot'
import { countSchema, documented } from '../../kernel/schema.ts'
import { timeSchema } from '../common/list-schema.ts'

const share = v.pipe(v.number(), v.minValue(0), v.maxValue(1))

const totals = {
  pages: v.pipe(countSchema, v.description('URLs with an outcome.')),
  fetched: countSchema,
  failed: countSchema,
  blocked: countSchema,
  rows: countSchema,
  bytes: countSchema,
  credits: countSchema,
}

const started = v.pipe(countSchema, v.description('Executions that were started.'))

const ended = v.pipe(countSchema, v.description('Executions that ended.'))

const times = { from: timeSchema, to: timeSchema }

const byStatus = v.pipe(
  v.strictObject({
    succeeded: countSchema,
    failed: countSchema,
    cancelled: countSchema,
    timed_out: countSchema,
  }),
  documented({ component: 'ExecutionEnds' }),
)

const successRate = v.pipe(
  v.nullable(share),
  v.description(
    'Share of executions that succeeded, among those that ended without being cancelled; ' +
      '`null`: none ended.',
  ),
)

const durationMs = v.pipe(
  v.nullable(v.strictObject({ p50: countSchema, p95: countSchema })),
  v.description(
    'Median and 95th percentile of the time from start to end, in ms, within 5 %. `null`: ' +
      'no started execution ended.',
  ),
)

const errors = v.pipe(
  v.record(v.string(), countSchema),
  v.description(
    'Pages that failed or were blocked, by reason. Rare HTTP statuses are grouped, such as ' +
      '`http_4xx`; reasons without a name are `other`.',
  ),
)

const span = {
  start: timeSchema,
  label: v.pipe(
    v.string(),
    v.description('In the time zone: `2030-01`, `2030-01-31` or `2030-01-31T12:00+01:00`.'),
  ),
}

const pointSchema = v.pipe(
  v.strictObject({ ...span, ...totals, executions: started }),
  documented({ component: 'UsagePoint' }),
)

const taskPointSchema = v.pipe(
  v.strictObject({ ...span, ...totals, executions: ended }),
  documented({ component: 'TaskUsagePoint' }),
)

const usagePeriodSchema = v.pipe(
  v.strictObject({
    ...times,
    ...totals,
    executions: started,
    successRate: v.pipe(
      v.nullable(share),
      v.description(
        'Share of pages that were fetched or unchanged, among these and the failed and blocked ' +
          'ones; `null`: there were no pages.',
      ),
    ),
  }),
  documented({ component: 'UsagePeriod' }),
)

/** `data` of the summary. */
export const usageSummarySchema = v.pipe(
  v.strictObject({
    ...usagePeriodSchema.pipe[0].entries,
    previous: v.pipe(usagePeriodSchema, v.description('The equally long period before.')),
  }),
  documented({ component: 'UsageSummary' }),
)

/** `data` of the series. */
export const usageSeriesSchema = v.pipe(
  v.strictObject({ ...times, points: v.array(pointSchema) }),
  documented({ component: 'UsageSeries' }),
)

/** `data` of the executions. */
export const executionUsageSchema = v.pipe(
  v.strictObject({
    ...times,
    started: countSchema,
    ended: countSchema,
    byStatus,
    successRate,
    durationMs,
    pages: totals.pages,
    rows: countSchema,
    bytes: countSchema,
    credits: countSchema,
    errors,
  }),
  documented({ component: 'ExecutionUsage' }),
)

const taskEntries = {
  taskId: v.pipe(
    v.nullable(v.string()),
    v.description('`null`: runs without a task, and pages that agents and previews fetch.'),
  ),
  name: v.pipe(
    v.nullable(v.string()),
    v.description('`null`: there is no task, or it was deleted.'),
  ),
  ...totals,
  executions: ended,
  byStatus,
  successRate,
}

/** One task of the list. */
export const taskUsageSchema = v.pipe(
  v.strictObject(taskEntries),
  documented({ component: 'TaskUsage' }),
)

/** `data` of one task. */
export const taskAnalyticsSchema = v.pipe(
  v.strictObject({
    ...taskEntries,
    ...times,
    durationMs,
    errors,
    points: v.array(taskPointSchema),
    fillRates: v.pipe(
      v.array(
        v.strictObject({
          executionId: v.string(),
          at: timeSchema,
          rows: countSchema,
          filled: v.pipe(
            v.record(v.string(), share),
            v.description('Column → share of rows with a value.'),
          ),
        }),
      ),
      v.description(
        'Executions of the period, oldest first: of the last 20 that ran the current recipe without drift.',
      ),
    ),
    drift: v.pipe(
      v.nullable(
        v.strictObject({
          executionId: v.string(),
          at: timeSchema,
          fields: v.array(v.strictObject({ field: v.string(), usual: share, now: share })),
        }),
      ),
      v.description(
        'Columns that the latest execution filled less than earlier ones; empty if there are ' +
          'none. `null`: none of the latest 20 executions has ended.',
      ),
    ),
  }),
  documented({ component: 'TaskAnalytics' }),
)
