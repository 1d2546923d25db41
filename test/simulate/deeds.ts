import type { Luck } from './luck.ts'
import { RECEIVER } from './sites.ts'

/** The knowledge of a client when it chooses a call. */
export interface Hand {
  readonly luck: Luck
  /** A text that no other account may be shown. */
  readonly canary: string
  /** A new name, which is remembered as that of a task which may exist. */
  readonly newTaskName: () => string
  /** An id that an answer has shown, by its prefix. `null`: there was none. */
  readonly idOf: (kind: string) => string | null
  /** The address of a site, and of a product on it. */
  readonly page: string
}

/** A call of an operation. */
export interface Deed {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/api/v1`. */
  readonly path: string
  readonly body?: object
}

type Draw = (hand: Hand) => Deed | null

const get =
  (path: string): Draw =>
  () => ({ method: 'GET', path })

/** A call about something that an answer has shown before. */
const about =
  (kind: string, make: (id: string, hand: Hand) => Deed): Draw =>
  (hand) => {
    const id = hand.idOf(kind)
    return id === null ? null : make(id, hand)
  }

const read = (kind: string, pathOf: (id: string) => string): Draw =>
  about(kind, (id) => ({ method: 'GET', path: pathOf(id) }))

const recipeOf = (page: string): object => ({
  start: { urls: [page] },
  extract: { fields: { title: 'title' } },
})

/** Calls that no model has to follow, because their answers have all that the customer needs. */
export const DEEDS: Readonly<Record<string, Draw>> = {
  'tasks.get': read('task', (id) => `/tasks/${id}`),
  'tasks.export': get('/tasks/export'),
  'tasks.import': ({ newTaskName, page }) => ({
    method: 'POST',
    path: '/tasks/import',
    body: { version: 1, tasks: [{ name: newTaskName(), recipe: recipeOf(page) }] },
  }),
  'tasks.schedule': read('task', (id) => `/tasks/${id}/schedule`),
  'tasks.repair': about('task', (id, { idOf }) => ({
    method: 'POST',
    path: `/tasks/${id}/drift/repair`,
    body: { executionId: idOf('exec') ?? 'exec_none', fields: ['title'] },
  })),
  'estimates.recipe': ({ page }) => ({
    method: 'POST',
    path: '/tasks/estimate',
    body: { recipe: recipeOf(page) },
  }),
  'estimates.task': about('task', (id) => ({ method: 'POST', path: `/tasks/${id}/estimate` })),
  'previews.task': about('task', (id) => ({ method: 'POST', path: `/tasks/${id}/preview` })),
  'executions.get': read('exec', (id) => `/executions/${id}`),
  'executions.listOfTask': read('task', (id) => `/tasks/${id}/executions`),
  'executions.explain': about('exec', (id, { page }) => ({
    method: 'GET',
    path: `/executions/${id}/pages/explanation?url=${encodeURIComponent(page)}`,
  })),
  'executions.planSteps': read('exec', (id) => `/executions/${id}/plan/steps`),
  'executions.deleteMedia': about('exec', (id) => ({
    method: 'DELETE',
    path: `/executions/${id}/media`,
  })),
  'results.list': read('exec', (id) => `/executions/${id}/results?limit=20`),
  'results.download': read('exec', (id) => `/executions/${id}/results/download?format=csv`),
  'templates.list': get('/templates?q=article'),
  'templates.categories': get('/templates/categories'),
  'templates.get': get('/templates/article'),
  'templates.preview': ({ page }) => ({
    method: 'POST',
    path: '/templates/article/preview',
    body: { params: { urls: [page] } },
  }),
  'templates.save': ({ page, newTaskName }) => ({
    method: 'POST',
    path: '/templates/article/tasks',
    body: { params: { urls: [page] }, name: newTaskName() },
  }),
  'datasets.get': read('ds', (id) => `/datasets/${id}`),
  'datasets.update': about('ds', (id, { canary, luck }) => ({
    method: 'PATCH',
    path: `/datasets/${id}`,
    body: { name: `${canary} ${luck.int(1, 99)}` },
  })),
  'datasets.items': read('ds', (id) => `/datasets/${id}/items?state=present`),
  'datasets.changes': read('ds', (id) => `/datasets/${id}/changes`),
  'datasets.export': read('ds', (id) => `/datasets/${id}/export?format=jsonl`),
  'media.list': get('/media'),
  'keys.list': get('/keys'),
  'webhooks.create': ({ canary }) => ({
    method: 'POST',
    path: '/webhooks',
    body: { url: `https://${RECEIVER}/another`, events: ['*'], description: canary },
  }),
  'webhooks.get': read('hook', (id) => `/webhooks/${id}`),
  'webhooks.update': about('hook', (id, { canary }) => ({
    method: 'PATCH',
    path: `/webhooks/${id}`,
    body: { description: `${canary} changed` },
  })),
  'webhooks.rotate': about('hook', (id) => ({ method: 'POST', path: `/webhooks/${id}/rotate` })),
  'webhooks.test': about('hook', (id) => ({ method: 'POST', path: `/webhooks/${id}/test` })),
  'webhooks.deliveries': read('hook', (id) => `/webhooks/${id}/deliveries`),
  'webhooks.redeliver': about('hook', (id, { idOf }) => ({
    method: 'POST',
    path: `/webhooks/${id}/deliveries/${encodeURIComponent(idOf('dlv') ?? 'none')}/redeliver`,
  })),
  'billing.balance': get('/billing/balance'),
  'billing.activity': get('/billing/activity'),
  'billing.usage': get('/billing/usage'),
  'billing.callers': get('/billing/usage/callers?by=user'),
  'billing.plans': get('/billing/plans'),
  'billing.subscription': get('/billing/subscription'),
  'billing.subscribe': ({ luck }) => ({
    method: 'PUT',
    path: '/billing/subscription',
    body: { plan: luck.pick(['small', 'open', 'large']) },
  }),
  'billing.statements': get('/billing/statements'),
  'billing.statement': get('/billing/statements/2026-03'),
  'billing.topUps': get('/billing/top-ups'),
  'billing.getTopUp': read('top', (id) => `/billing/top-ups/${id}`),
  'analytics.summary': get('/analytics/usage/summary?timeZone=Asia%2FKathmandu'),
  'analytics.series': get('/analytics/usage/series?granularity=day'),
  'analytics.executions': get('/analytics/executions'),
  'analytics.tasks': get('/analytics/tasks'),
  'analytics.task': read('task', (id) => `/analytics/tasks/${id}?granularity=month`),
  'mcp.tools': get('/mcp/tools'),
  'mcp.call': ({ luck, page }) => ({
    method: 'POST',
    path: '/mcp/agentic-executions',
    body: luck.pick<object>([
      { tool: 'search', arguments: { query: 'thing' } },
      { tool: 'fetch', arguments: { id: page } },
      { tool: 'fetch', arguments: { id: 7 } },
    ]),
  }),
  'mcp.list': get('/mcp/agentic-executions'),
  'mcp.get': read('agx', (id) => `/mcp/agentic-executions/${id}`),
  'me.get': get('/me'),
  'audit.list': get('/audit'),
  'audit.export': get('/audit/export?format=jsonl'),
}

/** Operations that a customer does itself, as its model of the account follows them. */
export const FOLLOWED: readonly string[] = [
  'tasks.create',
  'tasks.list',
  'tasks.update',
  'tasks.delete',
  'executions.start',
  'executions.run',
  'executions.list',
  'executions.pages',
  'executions.pause',
  'executions.resume',
  'executions.cancel',
  'executions.retry',
  'executions.extract',
  'executions.delete',
  'executions.deleteRows',
  'results.export',
  'previews.recipe',
  'datasets.create',
  'datasets.list',
  'datasets.delete',
  'keys.create',
  'keys.revoke',
  'templates.run',
  'webhooks.list',
  'webhooks.delete',
  'billing.ledger',
  'billing.topUp',
]

/** Operations that no customer does, and why. */
export const LEFT_OUT: Readonly<Record<string, string>> = {
  'executions.events':
    'A stream ends with its execution, which a storm may delay for hours; the follower reads it.',
  'snapshots.get': 'A snapshot needs the drawing of a page in a browser, which no world has.',
  'snapshots.files': 'The same.',
  'snapshots.point': 'The same.',
  'webhooks.confirm': 'No customer has a mail address; the correspondent of some worlds does.',
  'webhooks.unsubscribePage':
    'It changes nothing; test/features/webhooks/unsubscribe.slow.test.ts has it.',
  'webhooks.unsubscribe': 'No customer gets mail; the correspondent of some worlds does.',
  'operator.verify': 'Each world is verified at its end, with the same code.',
  'operator.erase':
    'What a customer knows of its account would be gone; test/features/operator has it.',
  'media.get': 'No customer stores files; the collector of some worlds does, and reads them all.',
  'media.delete': 'The same; the collector deletes some.',
  'media.file': 'Its address is signed, so that no id makes it; test/features/media has it.',
}
