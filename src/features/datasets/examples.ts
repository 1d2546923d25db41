const dataset = {
  id: 'ds_01K3AC2R6X8Z0B4D7F9H1J3M5P',
  name: 'Pens of all shops',
  description: 'One item a pen, whoever sells it',
  keyFields: ['sku'],
  columns: ['sku', 'title', 'price'],
  gone: 'complete-runs',
  mergePartial: false,
  retention: { changesDays: 90, goneDays: null },
  counters: { items: 61, present: 60, gone: 1, changes: 64 },
  totals: { added: 61, changed: 2, gone: 1, returned: 0 },
  lastMerge: {
    executionId: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V',
    at: '2030-02-01T12:00:00.000Z',
    added: 1,
    changed: 2,
    returned: 0,
    unchanged: 57,
    duplicate: 0,
    skipped: 0,
    cut: 0,
    gone: 1,
  },
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:00.000Z',
}
const fresh = {
  ...dataset,
  columns: ['sku'],
  counters: { items: 0, present: 0, gone: 0, changes: 0 },
  totals: { added: 0, changed: 0, gone: 0, returned: 0 },
  lastMerge: null,
}
const item = {
  id: '["FP-1"]',
  state: 'present',
  values: { sku: 'FP-1', title: 'Fountain pen', price: 24.5 },
  firstSeenAt: '2030-01-31T12:05:00.000Z',
  lastSeenAt: '2030-02-01T12:00:00.000Z',
  changedAt: '2030-02-01T12:00:00.000Z',
  goneAt: null,
  firstExecutionId: 'exec_01K3A9ZB2D6F8H0K3M5P7R9T1V',
  lastExecutionId: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V',
}
const change = {
  sequence: 63,
  kind: 'changed',
  itemId: '["FP-1"]',
  key: { sku: 'FP-1' },
  fields: { price: { before: 22, after: 24.5 } },
  executionId: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V',
  at: '2030-02-01T12:00:00.000Z',
}
const params = { id: dataset.id }

/** Examples of datasets, for the documentation. */
export const DATASET_EXAMPLES = {
  create: {
    body: {
      name: 'Pens of all shops',
      description: 'One item a pen, whoever sells it',
      keyFields: ['sku'],
      retention: { changesDays: 90 },
    },
    data: fresh,
  },
  list: { query: { limit: '20' }, data: { items: [dataset], nextCursor: null } },
  get: { params, data: dataset },
  update: {
    params,
    body: { retention: { changesDays: 30 } },
    data: {
      ...dataset,
      retention: { changesDays: 30, goneDays: null },
      updatedAt: '2030-02-02T08:30:00.000Z',
    },
  },
  delete: { params, data: { id: dataset.id, deleted: true } },
  items: {
    params,
    query: { state: 'present', fields: 'sku,title,price', limit: '100' },
    data: { items: [item], nextCursor: null, columns: ['sku', 'title', 'price'] },
  },
  changes: {
    params,
    query: { kinds: 'added,changed', limit: '100' },
    data: { items: [change], nextCursor: 'kqzH2i1xJ8V7mQ4cT0aBxltYM10', hasMore: false, missed: 0 },
  },
  export: { params, query: { format: 'csv', fields: 'sku,price,_lastSeenAt', state: 'all' } },
}
