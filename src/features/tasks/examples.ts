const recipe = {
  start: { urls: ['https://shop.example.com/list?page={1..20}'] },
  follow: [{ links: 'a.product', as: 'detail' }],
  extract: { on: 'detail', fields: { title: 'h1', price: { css: '.price', as: 'number' } } },
}

const task = {
  id: 'task_01K3A9Z7Q4T8V2M6N0P5R1S7WX',
  name: 'Pens',
  description: 'Every pen with its price',
  labels: ['shop'],
  status: 'active',
  schedule: null,
  datasetId: null,
  drift: 'report',
  recipe,
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:00.000Z',
}
const params = { id: task.id }

/** Examples of tasks, for the documentation. */
export const TASK_EXAMPLES = {
  create: {
    body: { name: 'Pens', description: 'Every pen with its price', labels: ['shop'], recipe },
    data: task,
  },
  list: {
    query: { status: 'active', label: 'shop', q: 'pen', limit: '20' },
    data: { items: [{ ...task, nextRunAt: null }], nextCursor: null },
  },
  get: { params, data: task },
  update: {
    params,
    body: { status: 'paused' },
    data: { ...task, status: 'paused', updatedAt: '2030-02-01T08:30:00.000Z' },
  },
  repair: {
    params,
    body: { executionId: 'exec_01K3A9Z7Q4T8V2M6N0P5R1S7WX' },
    data: { ...task, drift: 'report', updatedAt: '2030-02-01T08:30:00.000Z' },
  },
  delete: { params, data: { id: task.id, deleted: true } },
}
