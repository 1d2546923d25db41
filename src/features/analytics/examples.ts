const params = { id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX' }
const executionId = 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V'
const times = { from: '2030-01-30T23:00:00.000Z', to: '2030-01-31T23:00:00.000Z' }
const days = { from: '2030-01-31T00:00:00.000Z', to: '2030-02-01T00:00:00.000Z' }
const totals = {
  pages: 144,
  fetched: 140,
  failed: 3,
  blocked: 1,
  rows: 2_800,
  bytes: 9_216_000,
  credits: 140,
  executions: 2,
}
const earlier = {
  pages: 70,
  fetched: 70,
  failed: 0,
  blocked: 0,
  rows: 1_400,
  bytes: 4_608_000,
  credits: 70,
  executions: 1,
}
const period = { from: '2030-01-31', to: '2030-02-01' }
const ends = { byStatus: { succeeded: 2, failed: 0, cancelled: 0, timed_out: 0 }, successRate: 1 }
const durationMs = { p50: 44_209, p95: 59_679 }
const errors = { http_404: 3, http_403: 1 }
const usage = { taskId: params.id, name: 'Shop prices', ...totals, ...ends }

/** Examples of analytics, for the documentation. */
export const ANALYTICS_EXAMPLES = {
  summary: {
    query: { ...period, timeZone: 'Europe/Berlin' },
    data: {
      ...times,
      ...totals,
      successRate: 140 / 144,
      previous: { from: '2030-01-29T23:00:00.000Z', to: times.from, ...earlier, successRate: 1 },
    },
  },
  series: {
    query: { ...period, granularity: 'day', timeZone: 'Europe/Berlin' },
    data: { ...times, points: [{ start: times.from, label: '2030-01-31', ...totals }] },
  },
  executions: {
    query: { ...period, timeZone: 'Europe/Berlin' },
    data: {
      ...times,
      started: 2,
      ended: 2,
      ...ends,
      durationMs,
      pages: totals.pages,
      rows: totals.rows,
      bytes: totals.bytes,
      credits: totals.credits,
      errors,
    },
  },
  tasks: { query: { ...period, limit: '20' }, data: { items: [usage], nextCursor: null } },
  task: {
    params,
    query: { ...period, granularity: 'day' },
    data: {
      ...usage,
      ...days,
      durationMs,
      errors,
      points: [{ start: days.from, label: '2030-01-31', ...totals }],
      fillRates: [
        {
          executionId,
          at: '2030-01-31T12:00:41.000Z',
          rows: 1_400,
          filled: { title: 1, price: 0.98 },
        },
      ],
      drift: { executionId, at: '2030-01-31T12:00:41.000Z', fields: [] },
    },
  },
}
