import { answersFrom, defineRoute, examplesFrom } from '../../kernel/http/route.ts'
import type { AnyRoute } from '../../kernel/http/route.ts'
import { idParamsSchema, pageSchema } from '../common/list-schema.ts'
import { periodQuerySchema, seriesQuerySchema, tasksUsageQuerySchema } from './schema.ts'
import type { Analytics } from './service.ts'

const answer = answersFrom(() => import('./answers.ts'))

const reads = { method: 'GET', scope: 'analytics:read', limit: 'analytics' } as const

const example = examplesFrom(async () => (await import('./examples.ts')).ANALYTICS_EXAMPLES)

/** The routes of analytics. */
export function analyticsRoutes(analytics: Analytics): AnyRoute[] {
  return [
    defineRoute({
      ...reads,
      path: '/api/v1/analytics/usage/summary',
      operation: 'analytics.summary',
      summary: 'Sums up the usage of a period',
      query: periodQuerySchema,
      data: answer((all) => all.usageSummarySchema),
      description: 'Without a period: the last 30 days. Times are widened to quarter hours.',
      example: example('summary'),
      handler: ({ principal, query }) => analytics.summary(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/analytics/usage/series',
      operation: 'analytics.series',
      summary: 'Reads usage as a time series',
      query: seriesQuerySchema,
      data: answer((all) => all.usageSeriesSchema),
      description:
        'Points are hours, days or months in the time zone, cut to the period; DST days have ' +
        '23 or 25 hours. Empty points are included, and all points add up to the summary.',
      example: example('series'),
      handler: ({ principal, query }) => analytics.series(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/analytics/executions',
      operation: 'analytics.executions',
      summary: 'Sums up the executions of a period',
      query: periodQuerySchema,
      data: answer((all) => all.executionUsageSchema),
      description:
        'Starts, ends, pages and errors count at their own time, which need not be in the same period.',
      example: example('executions'),
      handler: ({ principal, query }) => analytics.executions(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/analytics/tasks',
      operation: 'analytics.tasks',
      summary: 'Lists the tasks with their usage, newest first',
      query: tasksUsageQuerySchema,
      data: answer((all) => pageSchema(all.taskUsageSchema)),
      description:
        'Lists every task, even if it used nothing, and deleted tasks that used something. ' +
        'The last line, `taskId: null`, is usage without a task: runs of recipes, and pages ' +
        'that agents and previews fetch. All lines add up to the summary of the period, if its ' +
        'executions all began and ended in it: here an execution counts as a whole, at ' +
        'the time of its end. Times are widened to quarter hours.',
      example: example('tasks'),
      handler: ({ principal, query }) => analytics.tasks(principal, query),
    }),
    defineRoute({
      ...reads,
      path: '/api/v1/analytics/tasks/:id',
      operation: 'analytics.task',
      summary: 'Reads the usage of a task, as sums and points, and the fill rates of its columns',
      params: idParamsSchema,
      query: seriesQuerySchema,
      data: answer((all) => all.taskAnalyticsSchema),
      description: 'An execution counts as a whole at its end. Times are widened to quarter hours.',
      example: example('task'),
      handler: ({ principal, params, query }) => analytics.task(principal, params.id, query),
    }),
  ]
}
