import { countOutside } from '../../../../src/features/common/usage.ts'
import { Change } from '../../../../src/records/change.ts'
import { addMedia } from '../../fakes/add-media.ts'
import { countKept, keepPage } from '../../fakes/keep-pages.ts'
import { MAIL_FIXTURES } from './mail-fixtures.ts'
import { OPERATOR_FIXTURES } from './operator-fixtures.ts'
import { CANARY, requestOfLink, type RouteRequest, type Seeded } from './route-request.ts'

/** How to ask for each operation. The permission test fails for one that is not here. */
export const ROUTE_FIXTURES: Readonly<
  Record<string, (seeded: Seeded) => RouteRequest | Promise<RouteRequest>>
> = {
  ...OPERATOR_FIXTURES,
  ...MAIL_FIXTURES,
  'tasks.create': () => ({
    body: { name: 'new', recipe: { start: { urls: ['https://shop.example.com/'] } } },
  }),
  'tasks.list': async ({ cursor }) => ({
    query: { label: CANARY },
    cursor: await cursor('/api/v1/tasks'),
  }),
  'tasks.get': ({ task }) => ({ params: { id: task } }),
  'tasks.update': ({ task }) => ({ params: { id: task }, body: { name: 'changed' } }),
  'tasks.export': () => ({}),
  'tasks.import': () => ({
    body: {
      version: 1,
      tasks: [{ name: 'new', recipe: { start: { urls: ['https://shop.example.com/'] } } }],
    },
  }),
  'tasks.schedule': ({ task }) => ({ params: { id: task } }),
  // Of a task without a schedule, which would need another scope too.
  'tasks.repair': ({ idle, drifted }) => ({
    params: { id: idle },
    body: { executionId: drifted, fields: ['title'] },
  }),
  'tasks.delete': ({ idle }) => ({ params: { id: idle } }),
  'executions.start': ({ task }) => ({ params: { id: task }, body: {} }),
  'estimates.recipe': () => ({
    body: { recipe: { start: { urls: ['https://shop.example.com/'] } } },
  }),
  'estimates.task': ({ task }) => ({ params: { id: task } }),
  'executions.listOfTask': async ({ task, cursor }) => ({
    params: { id: task },
    cursor: await cursor(`/api/v1/tasks/${task}/executions`),
  }),
  'executions.list': async ({ task, cursor }) => ({
    query: { taskId: task },
    cursor: await cursor('/api/v1/executions'),
  }),
  'executions.get': ({ execution }) => ({ params: { id: execution } }),
  'executions.cancel': ({ execution }) => ({ params: { id: execution } }),
  'executions.pause': ({ execution }) => ({ params: { id: execution } }),
  'executions.resume': ({ paused }) => ({ params: { id: paused } }),
  'executions.retry': ({ finished }) => ({ params: { id: finished } }),
  'executions.run': () => ({
    body: { recipe: { start: { urls: ['https://shop.example.com/'] } } },
  }),
  // One of its own for each, because later routes read the finished one.
  'executions.delete': async ({ host, task }) => ({ params: { id: await cancelled(host, task) } }),
  'executions.deleteRows': async ({ host, task }) => ({
    params: { id: await cancelled(host, task) },
  }),
  'executions.deleteMedia': async ({ host, task }) => ({
    params: { id: await cancelled(host, task) },
  }),
  'executions.extract': async ({ host, finished }) => {
    await countKept(host.records, 'acme', finished)
    return { params: { id: finished }, body: { recipe: { extract: { fields: { title: 'h1' } } } } }
  },
  'executions.explain': async ({ host, finished }) => {
    const url = 'https://shop.example.com/'
    await keepPage(host, 'acme', finished, { url, html: `<h1>${CANARY}</h1>` })
    return { params: { id: finished }, query: { url } }
  },
  'executions.pages': async ({ execution, cursor }) => ({
    params: { id: execution },
    cursor: await cursor(`/api/v1/executions/${execution}/pages`),
  }),
  // Of a finished one, so that the stream ends.
  'executions.events': ({ finished }) => ({ params: { id: finished } }),
  'results.list': async ({ execution, cursor }) => ({
    params: { id: execution },
    query: { fields: 'title' },
    cursor: await cursor(`/api/v1/executions/${execution}/results`),
  }),
  'results.export': ({ execution }) => ({ params: { id: execution }, query: { format: 'jsonl' } }),
  'results.download': ({ execution }) => ({
    params: { id: execution },
    query: { format: 'csv', fields: 'title' },
  }),
  'executions.planSteps': ({ execution }) => ({ params: { id: execution } }),
  'previews.recipe': () => ({
    body: { recipe: { start: { urls: ['https://shop.example.com/'] } } },
  }),
  'snapshots.get': ({ snapshot }) => ({ params: { id: snapshot } }),
  'snapshots.files': ({ snapshot }) => ({ params: { id: snapshot } }),
  'snapshots.point': ({ snapshot }) => ({ params: { id: snapshot }, body: { elements: [1] } }),
  'previews.task': ({ task }) => ({ params: { id: task } }),
  'templates.list': () => ({ query: { q: 'article' } }),
  'templates.categories': () => ({}),
  'templates.get': () => ({ params: { id: 'article' } }),
  'templates.run': () => ({
    params: { id: 'article' },
    body: { params: { urls: ['https://news.example.com/1'] } },
  }),
  'templates.preview': () => ({
    params: { id: 'article' },
    body: { params: { urls: ['https://news.example.com/1'] } },
  }),
  'templates.save': () => ({
    params: { id: 'article' },
    body: { params: { urls: ['https://news.example.com/1'] } },
  }),
  'datasets.create': () => ({ body: { name: 'new', keyFields: ['sku'] } }),
  'datasets.list': async ({ cursor }) => ({ cursor: await cursor('/api/v1/datasets') }),
  'datasets.get': ({ dataset }) => ({ params: { id: dataset } }),
  'datasets.update': ({ dataset }) => ({ params: { id: dataset }, body: { name: 'changed' } }),
  'datasets.delete': ({ spare }) => ({ params: { id: spare } }),
  'datasets.items': async ({ dataset, cursor }) => ({
    params: { id: dataset },
    query: { state: 'present' },
    cursor: await cursor(`/api/v1/datasets/${dataset}/items`),
  }),
  'datasets.changes': async ({ dataset, cursor }) => ({
    params: { id: dataset },
    cursor: await cursor(`/api/v1/datasets/${dataset}/changes`),
  }),
  'datasets.export': ({ dataset }) => ({
    params: { id: dataset },
    query: { format: 'jsonl', fields: 'title,_state' },
  }),
  'media.list': async ({ host, cursor }) => {
    await addMedia(host, 'acme', {
      bytes: new TextEncoder().encode('another'),
      sourceUrl: `https://${CANARY}.example.com/another`,
    })
    return { cursor: await cursor('/api/v1/media') }
  },
  'media.get': ({ media }) => ({ params: { id: media } }),
  // One of its own, because later routes read the first one.
  'media.delete': async ({ host }) => ({
    params: {
      id: await addMedia(host, 'acme', {
        bytes: new TextEncoder().encode('{"deleted":1}'),
        declared: 'application/json',
        sourceUrl: 'https://shop.example.com/deleted.json',
      }),
    },
  }),
  'media.file': async ({ host, media }) =>
    requestOfLink((await host.call('GET', `/api/v1/media/${media}`)).body.data.url),
  'keys.create': () => ({ body: { name: 'new', scopes: ['keys:write'] } }),
  'keys.list': async ({ cursor, host }) => {
    await host.keyOf('acme')
    return { cursor: await cursor('/api/v1/keys') }
  },
  'keys.revoke': ({ key }) => ({ params: { id: key } }),
  'webhooks.create': () => ({ body: { url: 'https://hooks.example.com/', events: ['*'] } }),
  'webhooks.list': async ({ cursor }) => ({ cursor: await cursor('/api/v1/webhooks') }),
  'webhooks.get': ({ webhook }) => ({ params: { id: webhook } }),
  'webhooks.update': ({ webhook }) => ({
    params: { id: webhook },
    body: { description: 'changed' },
  }),
  'webhooks.delete': ({ webhook }) => ({ params: { id: webhook } }),
  'webhooks.rotate': ({ webhook }) => ({ params: { id: webhook } }),
  'webhooks.test': ({ webhook }) => ({ params: { id: webhook } }),
  'webhooks.deliveries': async ({ webhook, cursor }) => ({
    params: { id: webhook },
    cursor: await cursor(`/api/v1/webhooks/${webhook}/deliveries`),
  }),
  'billing.balance': () => ({}),
  'billing.ledger': async ({ cursor }) => ({
    query: { execution: CANARY },
    cursor: await cursor('/api/v1/billing/ledger'),
  }),
  'billing.activity': async ({ cursor }) => ({ cursor: await cursor('/api/v1/billing/activity') }),
  'billing.usage': () => ({ query: { period: '2026-01' } }),
  async 'billing.callers'({ host }) {
    const change = new Change()
    const page = { outcome: 'fetched', reason: null, rows: 0, bytes: 9, credits: 0 } as const
    const caller = { user: CANARY, key: null }
    countOutside(host.records, change, 'acme', 'preview', [page], caller, Date.UTC(2026, 0, 1))
    await host.records.commit(change)
    return { query: { period: '2026-01', by: 'user' } }
  },
  'billing.plans': () => ({}),
  'billing.subscription': () => ({}),
  'billing.subscribe': () => ({ body: { plan: 'open' } }),
  'billing.statements': () => ({}),
  'billing.statement': () => ({ params: { id: '2026-01' } }),
  'billing.topUp': () => ({ body: { credits: 10 } }),
  'billing.topUps': async ({ host, cursor }) => {
    await host.call('POST', '/api/v1/billing/top-ups', { body: { credits: 10 } })
    return { cursor: await cursor('/api/v1/billing/top-ups') }
  },
  'billing.getTopUp': ({ topUp }) => ({ params: { id: topUp } }),
  'analytics.summary': () => ({ query: { timeZone: 'Asia/Kathmandu' } }),
  'analytics.series': () => ({ query: { granularity: 'day' } }),
  'analytics.executions': () => ({}),
  'analytics.tasks': async ({ cursor }) => ({ cursor: await cursor('/api/v1/analytics/tasks') }),
  'analytics.task': ({ task }) => ({ params: { id: task }, query: { granularity: 'month' } }),
  'mcp.tools': () => ({}),
  'mcp.call': () => ({ body: { tool: 'search', arguments: { query: 'pens' } } }),
  'mcp.list': async ({ host, cursor }) => {
    const change = new Change()
    host.records.agenticCalls.put(change, 'acme', {
      id: 'agx_00000000000000000000000000',
      at: 0,
      tool: 'search',
      user: CANARY,
      key: CANARY,
      execution: null,
      code: null,
      credits: 0,
    })
    await host.records.commit(change)
    return { cursor: await cursor('/api/v1/mcp/agentic-executions') }
  },
  'mcp.get': ({ agentic }) => ({ params: { id: agentic } }),
  'me.get': () => ({}),
  'audit.list': async ({ cursor }) => ({
    query: { user: CANARY },
    cursor: await cursor('/api/v1/audit'),
  }),
  'audit.export': () => ({ query: { format: 'jsonl' } }),
  'webhooks.redeliver': ({ webhook, delivery }) => ({
    params: { id: webhook, deliveryId: delivery },
  }),
}

async function cancelled(host: Seeded['host'], task: string): Promise<string> {
  const { id } = (await host.call('POST', `/api/v1/tasks/${task}/executions`)).body.data
  await host.call('POST', `/api/v1/executions/${id}/cancel`)
  return id
}
