import { countOutside } from '../../../src/features/common/usage.ts'
import { enterInto } from '../../../src/features/ledger/account-session.ts'
import { OPEN_PLAN, OPEN_TARIFF } from '../../../src/features/ledger/plans.ts'
import { Change } from '../../../src/records/change.ts'
import { mergeAll } from './merge-all.ts'
import { addMedia } from '../fakes/add-media.ts'
import { countKept, keepPage } from '../fakes/keep-pages.ts'
import { addProposal } from '../fakes/add-proposal.ts'
import { OPERATOR_FIXTURES } from './operator-fixtures.ts'
import { createServiceHost } from './service-host.ts'

/** Paths whose ids name what belongs to nobody. */
export const PUBLIC_IDS = /^\/api\/v1\/templates\//

/** Reads whose answer holds nothing that an account has written. */
export const NOTHING_OWN: ReadonlySet<string> = new Set([
  'mcp.tools',
  'analytics.summary',
  'analytics.series',
  'analytics.executions',
  'operator.runs',
  'operator.stuck',
  'operator.workers',
  'operator.health',
  'operator.log',
])

/** In every field of account `acme` that a caller can fill; no answer to anybody else may hold it. */
export const CANARY = 'canary-7f3a'

/** What a request for an operation needs. */
export interface RouteRequest {
  /** Path parameters: ids of records of the account. */
  readonly params?: Readonly<Record<string, string>>
  /** Ids that the query names. */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** Of a list: a cursor that belongs to the account. */
  readonly cursor?: string
}

/** Records of the account `acme`, with a canary in every field. */
export interface Seeded {
  readonly host: Awaited<ReturnType<typeof createServiceHost>>
  readonly task: string
  readonly idle: string
  readonly execution: string
  readonly paused: string
  readonly finished: string
  /** Of the idle task; it proposes another source for its column. */
  readonly drifted: string
  readonly key: string
  /** With items and changes; a task names it. */
  readonly dataset: string
  /** Without a task. */
  readonly spare: string
  readonly media: string
  readonly webhook: string
  readonly delivery: string
  readonly topUp: string
  /** A call of the tool `search`. */
  readonly agentic: string
  /** A kept page. */
  readonly snapshot: string
  cursor(path: string): Promise<string>
}

const recipe = {
  start: { urls: [`https://${CANARY}.example.com/`] },
  page: { headers: { 'X-Own': CANARY } },
  extract: { items: `.${CANARY}`, fields: { title: `.${CANARY}-title` } },
}

/** The address of an operation's request. */
export function addressOf(path: string, { params = {}, query = {} }: RouteRequest): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  return Object.keys(query).length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}

/** A host on which `acme` has two records of everything. */
export async function seedRoutes(
  options: Parameters<typeof createServiceHost>[0] = {},
): Promise<Seeded> {
  // Nobody but its own accounts sees a private plan.
  const host = await createServiceHost({
    operator: true,
    tariff: {
      ...OPEN_TARIFF,
      plans: [
        OPEN_PLAN,
        {
          ...OPEN_PLAN,
          id: `${CANARY}-plan`,
          name: CANARY,
          description: CANARY,
          access: 'private',
        },
      ],
    },
    ...options,
  })
  const make = async (path: string, body?: unknown): Promise<string> =>
    (await host.call('POST', path, body === undefined ? {} : { body })).body.data.id
  const task = await make('/api/v1/tasks', {
    name: `${CANARY} task`,
    description: CANARY,
    labels: [CANARY],
    recipe,
  })
  const idle = await make('/api/v1/tasks', { name: `${CANARY} idle`, recipe })
  const drifted = await make(`/api/v1/tasks/${idle}/executions`)
  await make(`/api/v1/executions/${drifted}/cancel`)
  const [execution, paused, finished] = [
    await make(`/api/v1/tasks/${task}/executions`),
    await make(`/api/v1/tasks/${task}/executions`),
    await make(`/api/v1/tasks/${task}/executions`),
  ]
  await make(`/api/v1/executions/${paused}/pause`)
  await host.call('PATCH', `/api/v1/tasks/${task}`, { body: { schedule: { cron: '@yearly' } } })
  await refuseTick(host, task)
  await make(`/api/v1/executions/${finished}/cancel`)
  for (const id of [execution, finished]) {
    await countCanary(host, id)
    await host.addSegment(id, [{ title: CANARY }, { title: `${CANARY} again` }])
    for (const seq of [0, 1])
      await host.addVisit({
        execution: id,
        seq,
        url: `https://${CANARY}.example.com/${seq}`,
        finalUrl: `https://${CANARY}.example.com/end`,
        label: CANARY,
        outcome: 'failed',
        reason: { code: CANARY, message: CANARY },
      })
  }
  const media = await addMedia(host, 'acme', {
    bytes: new TextEncoder().encode(JSON.stringify({ of: CANARY })),
    declared: 'application/json',
    sourceUrl: `https://${CANARY}.example.com/${CANARY}.json`,
  })
  const key = await make('/api/v1/keys', { name: CANARY, scopes: ['keys:write'] })
  const dataset = await seedDataset(host, make)
  const spare = await make('/api/v1/datasets', {
    name: `${CANARY} spare`,
    description: CANARY,
    keyFields: [CANARY],
  })
  const hook = {
    url: `https://${CANARY}.example.com/hook`,
    description: CANARY,
    events: ['*'],
    labels: [CANARY],
  }
  await make('/api/v1/webhooks', hook)
  const webhook = await make('/api/v1/webhooks', hook)
  await make(`/api/v1/webhooks/${webhook}/test`)
  const delivery = await make(`/api/v1/webhooks/${webhook}/test`)
  const topUp = await seedBilling(host, task, make)
  await sampleHealth(host, task, finished)
  await addProposal(host, drifted, `.${CANARY}-title`)
  await seedAudit(host)
  const snapshot = await host.snapshots.keep('acme', {
    url: `https://${CANARY}.example.com/`,
    contentType: 'text/html',
    body: new TextEncoder().encode(`<p>${CANARY}</p><img src="/a.png">`),
  })
  const agentic = await make('/api/v1/mcp/agentic-executions', {
    tool: 'search',
    arguments: { query: CANARY },
  })
  return {
    host,
    task,
    idle,
    execution,
    paused,
    finished,
    drifted,
    key,
    dataset,
    spare,
    media,
    webhook,
    delivery,
    topUp,
    snapshot: String(snapshot),
    agentic,
    async cursor(path) {
      const { body } = await host.call('GET', `${path}?limit=1`)
      return String(body.data.nextCursor)
    },
  }
}

/** A dataset that has merged two rows. */
async function seedDataset(
  host: Seeded['host'],
  make: (path: string, body?: unknown) => Promise<string>,
): Promise<string> {
  const dataset = await make('/api/v1/datasets', {
    name: `${CANARY} dataset`,
    description: CANARY,
    keyFields: ['title'],
    mergePartial: true,
  })
  const task = await make('/api/v1/tasks', { name: `${CANARY} feeder`, recipe, datasetId: dataset })
  const execution = await make(`/api/v1/tasks/${task}/executions`)
  await host.addSegment(execution, [{ title: CANARY }, { title: `${CANARY} again` }])
  await make(`/api/v1/executions/${execution}/cancel`)
  await mergeAll(host.records, host.blobs, 'acme', dataset)
  return dataset
}

/** What a schedule's last time came to can name what the recipe says. */
async function cancelled(host: Seeded['host'], task: string): Promise<string> {
  const { id } = (await host.call('POST', `/api/v1/tasks/${task}/executions`)).body.data
  await host.call('POST', `/api/v1/executions/${id}/cancel`)
  return id
}

async function refuseTick({ records }: Seeded['host'], task: string): Promise<void> {
  const schedule = await records.schedules.get('acme', task)
  if (!schedule) throw new Error('no such schedule')
  const change = new Change()
  records.schedules.update(change, 'acme', schedule, {
    ...schedule.value,
    last: { at: 0, outcome: 'refused', execution: null, message: CANARY },
  })
  await records.commit(change)
}

/** Whoever wrote, and by which key, is the account's. */
async function seedAudit({ records, clock }: Seeded['host']): Promise<void> {
  const change = new Change()
  for (const index of [0, 1])
    records.audits.insert(change, 'acme', {
      id: `aud_${index}`,
      at: clock.now(),
      operation: 'tasks.create',
      subject: null,
      user: CANARY,
      key: CANARY,
      ip: CANARY,
      requestId: CANARY,
      status: 201,
      code: null,
    })
  await records.commit(change)
}

/** What columns are called is the recipe's. */
async function sampleHealth(
  { records, clock }: Seeded['host'],
  task: string,
  execution: string,
): Promise<void> {
  const change = new Change()
  records.health.insert(change, 'acme', {
    task,
    recipe: CANARY,
    samples: [{ execution, at: clock.now(), rows: 2, filled: { [CANARY]: 1 } }],
  })
  await records.commit(change)
}

/** A plan of its own, a top-up, an adjustment and a page that was paid. */
async function seedBilling(
  { billing, records, clock }: Seeded['host'],
  task: string,
  make: (path: string, body?: unknown) => Promise<string>,
): Promise<string> {
  await billing.setPlan('acme', { plan: `${CANARY}-plan`, dailyCap: 1_000_000 })
  await billing.adjust('acme', { id: CANARY, credits: 5, note: CANARY })
  const change = new Change()
  enterInto(records, change, 'acme', {
    id: 'le_seeded',
    period: '2026-01',
    at: clock.now(),
    kind: 'settle',
    cause: CANARY,
    moves: { held: -1, revenue: 1 },
    execution: CANARY,
    task,
    pages: [[0, 'fetched', 1]],
  })
  await records.commit(change)
  return make('/api/v1/billing/top-ups', {
    credits: 10,
    returnUrl: `https://${CANARY}.example.com/`,
  })
}

/** Counters are keyed by what the recipe and the web say. */
async function countCanary({ records }: Seeded['host'], execution: string): Promise<void> {
  const progress = await records.progress.get('acme', execution)
  if (!progress) throw new Error('no such execution')
  const change = new Change()
  records.progress.put(change, 'acme', {
    ...progress.value,
    filled: { [CANARY]: 2 },
    errors: { [CANARY]: 2 },
    firstError: CANARY,
  })
  await records.commit(change)
}

/** What a link to media asks for. */
export function requestOfLink(link: string): RouteRequest {
  const { pathname, searchParams } = new URL(link)
  const [, , owner = '', sha256 = '', name = ''] = pathname.split('/')
  return { params: { owner, sha256, name }, query: { token: searchParams.get('token') ?? '' } }
}

/** How to ask for each operation. The permission test fails for one that is not here. */
export const ROUTE_FIXTURES: Readonly<
  Record<string, (seeded: Seeded) => RouteRequest | Promise<RouteRequest>>
> = {
  ...OPERATOR_FIXTURES,
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
