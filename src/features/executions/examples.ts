const none = {
  discovered: 0,
  pending: 0,
  visited: 0,
  fetched: 0,
  unchanged: 0,
  duplicate: 0,
  skipped_robots: 0,
  skipped_scope: 0,
  skipped_depth: 0,
  skipped_limit: 0,
  blocked: 0,
  failed: 0,
  rows: 0,
  bytes: 0,
}

const queued = {
  id: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V',
  taskId: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
  templateId: null,
  params: null,
  status: 'queued',
  reason: null,
  retryOf: null,
  extractOf: null,
  failedOf: null,
  datasetId: null,
  scheduledFor: null,
  createdAt: '2030-01-31T12:05:00.000Z',
  startedAt: null,
  finishedAt: null,
  updatedAt: '2030-01-31T12:05:00.000Z',
  counters: none,
  kept: null,
  model: null,
  filled: {},
  drift: [],
  relocation: null,
  rowsDeletedAt: null,
  mediaDeletion: null,
  errors: {},
  cost: { credits: 0, reserved: 1_000 },
}

const succeeded = {
  ...queued,
  status: 'succeeded',
  startedAt: '2030-01-31T12:05:01.000Z',
  finishedAt: '2030-01-31T12:06:40.000Z',
  updatedAt: '2030-01-31T12:06:40.000Z',
  counters: {
    ...none,
    discovered: 214,
    visited: 214,
    fetched: 211,
    duplicate: 2,
    failed: 1,
    rows: 191,
    bytes: 4_718_592,
  },
  filled: { title: 191, price: 188 },
  errors: { http_404: 1 },
  cost: { credits: 211, reserved: 1_000 },
}

const line = {
  url: 'https://shop.example.com/pens/7',
  finalUrl: 'https://shop.example.com/pens/7',
  label: 'detail',
  depth: 1,
  listedBy: null,
  outcome: 'fetched',
  reason: null,
  httpStatus: 200,
  rows: 1,
  bytes: 22_016,
  durationMs: 184,
  credits: 1,
  at: '2030-01-31T12:05:09.000Z',
  visit: {
    tries: 1,
    redirects: [],
    robots: { url: 'https://shop.example.com/pens/7', allowed: true, rule: 'Allow: /pens' },
    timings: {
      waitMs: 2,
      dnsMs: 1,
      connectMs: null,
      firstByteMs: 96,
      fetchMs: 141,
      renderMs: null,
      readMs: 41,
    },
    headers: { 'content-type': 'text/html; charset=utf-8', server: 'nginx' },
  },
}

const params = { id: queued.id }
const taskParams = { id: queued.taskId }

/** Examples of executions, for the documentation. */
export const EXECUTION_EXAMPLES = {
  start: {
    params: taskParams,
    body: { params: { city: 'Ghent' }, budget: { pages: 50 } },
    data: { ...queued, params: { city: 'Ghent' } },
  },
  run: {
    body: {
      recipe: {
        start: { urls: ['https://shop.example.com/list?page=1'] },
        extract: { items: '.pen', fields: { title: 'h2', price: { css: '.price', as: 'number' } } },
      },
      budget: { pages: 50 },
    },
    data: { ...queued, taskId: null },
  },
  list: {
    query: { status: 'succeeded', limit: '20' },
    data: { items: [succeeded], nextCursor: null },
  },
  listOfTask: {
    params: taskParams,
    query: { status: 'succeeded', limit: '20' },
    data: { items: [succeeded], nextCursor: null },
  },
  get: { params, data: succeeded },
  cancel: {
    params,
    data: { ...queued, status: 'cancelled', finishedAt: '2030-01-31T12:05:30.000Z' },
  },
  pause: { params, data: { ...queued, status: 'paused' } },
  resume: { params, data: queued },
  retry: {
    params,
    body: { only: 'failed' },
    data: {
      ...queued,
      id: 'exec_01K3AB8E1G5J9M3P7S2V6X0Z4B',
      retryOf: queued.id,
      failedOf: queued.id,
    },
  },
  deleteRows: { params, data: { ...succeeded, rowsDeletedAt: '2030-02-28T09:00:00.000Z' } },
  deleteMedia: {
    params,
    data: {
      ...succeeded,
      mediaDeletion: { requestedAt: '2030-02-28T09:00:00.000Z', finishedAt: null },
    },
  },
  extract: {
    params,
    body: {
      recipe: { extract: { fields: { title: 'h1', stock: { css: '.stock', as: 'integer' } } } },
    },
    data: {
      ...queued,
      id: 'exec_01K3AC2D7F1H5K9N3Q7T1W5Y9C',
      extractOf: queued.id,
      cost: { credits: 0, reserved: 0 },
    },
  },
  delete: { params, data: { id: queued.id, deleted: true } },
  events: { params, query: { pages: 'true' } },
  pages: {
    params,
    query: { outcome: 'fetched', limit: '50' },
    data: { items: [line], nextCursor: null },
  },
}
