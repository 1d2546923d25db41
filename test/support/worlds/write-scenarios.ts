import { createRecords } from '../../../src/features/records.ts'
import { addMedia } from '../fakes/add-media.ts'
import { addProposal } from '../fakes/add-proposal.ts'
import { countKept } from '../fakes/keep-pages.ts'
import { OWNER } from './world.ts'
import type { World } from './world.ts'

/** A write that tests repeat. */
export interface WriteRequest {
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** For each operation that writes, a request that succeeds. */
export interface WriteScenario {
  /** The collection that holds the effect. */
  readonly collection: string
  prepare(world: World): Promise<WriteRequest>
}

const recipe = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1' } },
}
const taskOf = async ({ platform }: World) =>
  (await platform.api.tasks.create(OWNER, { name: 'before', recipe })).id
const executionOf = async (world: World) =>
  (await world.platform.api.executions.start(OWNER, await taskOf(world))).id

const datasetOf = async ({ platform }: World) =>
  (await platform.api.datasets.create(OWNER, { name: 'before', keyFields: ['sku'] })).id
const webhookOf = async ({ platform }: World) =>
  (await platform.api.webhooks.create(OWNER, { url: 'https://hooks.example.com/', events: ['*'] }))
    .id
const onWebhook =
  (method: string, path = '', body?: unknown): WriteScenario['prepare'] =>
  async (world) => ({
    method,
    path: `/api/v1/webhooks/${await webhookOf(world)}${path}`,
    ...(body !== undefined && { body }),
  })

/** By operation; a test compares the names with the route table. */
export const WRITE_SCENARIOS: Readonly<Record<string, WriteScenario>> = {
  'tasks.create': {
    collection: 'tasks',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/tasks',
      body: { name: 'once', recipe },
    }),
  },
  'tasks.import': {
    collection: 'tasks',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/tasks/import',
      body: { version: 1, tasks: [{ name: 'once', recipe }] },
    }),
  },
  'tasks.update': {
    collection: 'tasks',
    prepare: async (world) => ({
      method: 'PATCH',
      path: `/api/v1/tasks/${await taskOf(world)}`,
      body: { name: 'after' },
    }),
  },
  'tasks.repair': {
    collection: 'tasks',
    async prepare(world) {
      const task = await taskOf(world)
      const { id } = await world.platform.api.executions.start(OWNER, task)
      const records = createRecords(world.store)
      await addProposal({ ...world, records }, id, 'h1')
      return {
        method: 'POST',
        path: `/api/v1/tasks/${task}/drift/repair`,
        body: { executionId: id },
      }
    },
  },
  'tasks.delete': {
    collection: 'tasks',
    prepare: async (world) => ({ method: 'DELETE', path: `/api/v1/tasks/${await taskOf(world)}` }),
  },
  'executions.start': {
    collection: 'executions',
    prepare: async (world) => ({
      method: 'POST',
      path: `/api/v1/tasks/${await taskOf(world)}/executions`,
      body: {},
    }),
  },
  'executions.run': {
    collection: 'executions',
    prepare: async () => ({ method: 'POST', path: '/api/v1/executions', body: { recipe } }),
  },
  'executions.delete': {
    collection: 'retired',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.cancel(OWNER, id)
      return { method: 'DELETE', path: `/api/v1/executions/${id}` }
    },
  },
  'executions.deleteRows': {
    collection: 'executions',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.cancel(OWNER, id)
      return { method: 'DELETE', path: `/api/v1/executions/${id}/results` }
    },
  },
  'executions.deleteMedia': {
    collection: 'executions',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.cancel(OWNER, id)
      return { method: 'DELETE', path: `/api/v1/executions/${id}/media` }
    },
  },
  'media.delete': {
    collection: 'media-deletions',
    async prepare(world) {
      const records = createRecords(world.store)
      const bytes = new TextEncoder().encode('{"deleted":1}')
      const sourceUrl = 'https://shop.example.com/deleted.json'
      const id = await addMedia({ ...world, records }, 'acme', { bytes, sourceUrl })
      return { method: 'DELETE', path: `/api/v1/media/${id}` }
    },
  },
  'executions.cancel': {
    collection: 'executions',
    prepare: async (world) => ({
      method: 'POST',
      path: `/api/v1/executions/${await executionOf(world)}/cancel`,
    }),
  },
  'executions.pause': {
    collection: 'executions',
    prepare: async (world) => ({
      method: 'POST',
      path: `/api/v1/executions/${await executionOf(world)}/pause`,
    }),
  },
  'executions.resume': {
    collection: 'executions',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.pause(OWNER, id)
      return { method: 'POST', path: `/api/v1/executions/${id}/resume` }
    },
  },
  'executions.retry': {
    collection: 'executions',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.cancel(OWNER, id)
      return { method: 'POST', path: `/api/v1/executions/${id}/retry` }
    },
  },
  'executions.extract': {
    collection: 'executions',
    async prepare(world) {
      const id = await executionOf(world)
      await world.platform.api.executions.cancel(OWNER, id)
      await countKept(createRecords(world.store), OWNER.account, id)
      return {
        method: 'POST',
        path: `/api/v1/executions/${id}/extract`,
        body: { recipe: { extract: { fields: { title: 'h2' } } } },
      }
    },
  },
  'templates.run': {
    collection: 'executions',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/templates/article/executions',
      body: { params: { urls: ['https://news.example.com/1'] } },
    }),
  },
  'templates.save': {
    collection: 'tasks',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/templates/article/tasks',
      body: { params: { urls: ['https://news.example.com/1'] } },
    }),
  },
  'datasets.create': {
    collection: 'datasets',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/datasets',
      body: { name: 'once', keyFields: ['sku'], retention: { goneDays: 1 } },
    }),
  },
  'datasets.update': {
    collection: 'datasets',
    prepare: async (world) => ({
      method: 'PATCH',
      path: `/api/v1/datasets/${await datasetOf(world)}`,
      body: { retention: { changesDays: 1 } },
    }),
  },
  'datasets.delete': {
    collection: 'datasets',
    prepare: async (world) => ({
      method: 'DELETE',
      path: `/api/v1/datasets/${await datasetOf(world)}`,
    }),
  },
  'webhooks.create': {
    collection: 'webhooks',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/webhooks',
      body: { url: 'https://hooks.example.com/', events: ['*'] },
    }),
  },
  'webhooks.update': {
    collection: 'webhooks',
    prepare: onWebhook('PATCH', '', { description: 'after' }),
  },
  'webhooks.delete': { collection: 'webhooks', prepare: onWebhook('DELETE') },
  'webhooks.rotate': { collection: 'webhooks', prepare: onWebhook('POST', '/rotate') },
  'webhooks.test': { collection: 'webhook-deliveries', prepare: onWebhook('POST', '/test') },
  'webhooks.confirm': {
    collection: 'webhooks',
    async prepare(world) {
      const { id } = await world.platform.api.webhooks.create(OWNER, {
        url: 'mailto:ann@example.com',
        events: ['*'],
      })
      await world.work()
      const code = /[2-9A-Z]{4}-[2-9A-Z]{4}/.exec(world.mailed.at(-1) ?? '')?.[0]
      return { method: 'POST', path: `/api/v1/webhooks/${id}/confirm`, body: { code } }
    },
  },
  'webhooks.redeliver': {
    collection: 'webhook-deliveries',
    async prepare(world) {
      const id = await webhookOf(world)
      const delivery = await world.platform.api.webhooks.test(OWNER, id)
      return { method: 'POST', path: `/api/v1/webhooks/${id}/deliveries/${delivery.id}/redeliver` }
    },
  },
  'billing.subscribe': {
    collection: 'subscription',
    prepare: async () => ({
      method: 'PUT',
      path: '/api/v1/billing/subscription',
      body: { plan: 'open', dailyCap: 500 },
    }),
  },
  'billing.topUp': {
    collection: 'ledger',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/billing/top-ups',
      body: { credits: 500 },
    }),
  },
  'mcp.call': {
    collection: 'executions',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/mcp/agentic-executions',
      body: { tool: 'crawl', arguments: { url: 'https://shop.example.com/' }, waitSeconds: 0 },
    }),
  },
  'keys.create': {
    collection: 'key-digests',
    prepare: async () => ({
      method: 'POST',
      path: '/api/v1/keys',
      body: { name: 'once', scopes: ['tasks:read'] },
    }),
  },
  'keys.revoke': {
    collection: 'api-keys',
    async prepare({ platform }) {
      const { id } = await platform.api.keys.create(OWNER, { name: 'gone', scopes: ['tasks:read'] })
      return { method: 'DELETE', path: `/api/v1/keys/${id}` }
    },
  },
}
