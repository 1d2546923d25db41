const webhook = {
  id: 'hook_01K3AC4F7J1M5P9S2V6X0Z3B8D',
  url: 'https://hooks.example.com/seine',
  description: 'Prices to the warehouse',
  events: ['execution.succeeded', 'execution.failed', 'dataset.changed'],
  taskIds: [],
  labels: ['shop'],
  enabled: true,
  disabledAt: null,
  disabledReason: null,
  createdAt: '2030-01-31T12:00:00.000Z',
  updatedAt: '2030-01-31T12:00:00.000Z',
}
const secret = 'whsec_RVhBTVBMRWV4YW1wbGVFWEFNUExFZXhhbXBsZUVYQU0='

const eventId = 'evt_exec_01K3AA1C5D9F3H7K2M6P8R0T4V_cancelled'
const delivery = {
  id: `dlv_o9tilz7s_${eventId}`,
  webhookId: webhook.id,
  eventId,
  type: 'execution.cancelled',
  occurredAt: '2030-01-31T12:06:40.000Z',
  status: 'failed',
  attempts: [
    {
      number: 1,
      at: '2030-01-31T12:06:41.000Z',
      httpStatus: 410,
      durationMs: 118,
      error: 'http_410',
    },
  ],
  nextAttemptAt: null,
  payload: {
    id: eventId,
    type: 'execution.cancelled',
    timestamp: '2030-01-31T12:06:40.000Z',
    data: { execution: { id: 'exec_01K3AA1C5D9F3H7K2M6P8R0T4V', status: 'cancelled' } },
  },
}
const again = { ...delivery, status: 'pending', nextAttemptAt: '2030-02-01T08:30:00.000Z' }
const params = { id: webhook.id }

/** Examples of webhooks, for the documentation. */
export const WEBHOOK_EXAMPLES = {
  create: {
    body: {
      url: webhook.url,
      description: webhook.description,
      events: webhook.events,
      labels: webhook.labels,
    },
    data: { ...webhook, secret },
  },
  list: { query: { limit: '20' }, data: { items: [webhook], nextCursor: null } },
  get: { params, data: webhook },
  update: {
    params,
    body: { events: ['*'] },
    data: { ...webhook, events: ['*'], updatedAt: '2030-02-01T08:30:00.000Z' },
  },
  delete: { params, data: { id: webhook.id, deleted: true } },
  rotate: {
    params,
    body: { overlapSeconds: 86_400 },
    data: { ...webhook, updatedAt: '2030-02-01T08:30:00.000Z', secret },
  },
  confirm: {
    params,
    body: { code: '7KQ2-M9XB' },
    data: { ...webhook, url: 'mailto:ann@example.com', updatedAt: '2030-02-01T08:30:00.000Z' },
  },
  unsubscribe: { query: { token: 'WyJhY21lIiwiUHFuZHpSVHNXdll5MktxU0ZNNGh6QSJd.EXAMPLE' } },
  test: {
    params,
    data: {
      ...again,
      type: 'webhook.test',
      attempts: [],
      payload: {
        ...delivery.payload,
        type: 'webhook.test',
        data: { webhook: { id: webhook.id, description: webhook.description } },
      },
    },
  },
  deliveries: {
    params,
    query: { status: 'failed', limit: '20' },
    data: { items: [delivery], nextCursor: null },
  },
  redeliver: { params: { ...params, deliveryId: delivery.id }, data: again },
}
