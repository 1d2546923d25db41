import { safeParse } from 'valibot'
import { describe, expect, it } from 'vitest'
import { computeStatement } from '../../src/features/billing/statements.ts'
import { NO_CREDITS } from '../../src/features/ledger/credits.ts'
import type { AnyRoute } from '../../src/kernel/http/route.ts'
import { Change } from '../../src/records/change.ts'
import { addMedia } from '../support/fakes/add-media.ts'
import { addProposal } from '../support/fakes/add-proposal.ts'
import { failingCases } from '../support/failing-cases.ts'
import { keepPage } from '../support/fakes/keep-pages.ts'
import { mergeAll } from '../support/worlds/merge-all.ts'
import { PUBLIC_IDS } from '../support/worlds/routes/route-request.ts'
import { codeFor } from '../../src/features/webhooks/mail/parts.ts'
import { platformSecret } from '../../src/records/platform-secret.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'

const host = await createServiceHost()
const { id, taskId } = await host.executionWith([[{ title: 'canary-of-acme', price: '1' }]], {
  name: 'canary-of-acme',
})
const acmeKey = await host.call('POST', '/api/v1/keys', {
  body: { name: 'canary-of-acme', scopes: ['tasks:read'] },
})
const acmeHook = await host.call('POST', '/api/v1/webhooks', {
  body: { url: 'https://canary-of-acme.example.com/', events: ['*'] },
})
const datasetId: string = (
  await host.call('POST', '/api/v1/datasets', {
    body: { name: 'canary-of-acme', keyFields: ['title'] },
  })
).body.data.id
const mediaId = await addMedia(host, 'acme', {
  bytes: new TextEncoder().encode('{"a":1}'),
  declared: 'application/json',
  sourceUrl: 'https://canary-of-acme.example.com/a.json',
})
const mediaLink = new URL((await host.call('GET', `/api/v1/media/${mediaId}`)).body.data.url)

const topUp = await host.billing.topUp(
  { account: 'acme', user: 'canary-of-acme', scopes: ['*'] },
  { credits: 5, returnUrl: 'https://canary-of-acme.example.com/' },
)
const december = new Change()
host.records.statements.insert(
  december,
  'acme',
  await computeStatement({ period: '2025-12', plan: 'canary-of-acme', opening: NO_CREDITS }, []),
)
await host.records.commit(december)

const acmeCall = await host.call('POST', '/api/v1/mcp/agentic-executions', {
  body: { tool: 'search', arguments: { query: 'canary-of-acme' } },
})
const snapshotId = await host.snapshots.keep('acme', {
  url: 'https://canary-of-acme.example.com/',
  contentType: 'text/html',
  body: new TextEncoder().encode('<p>canary-of-acme'),
})
const KEPT = { url: 'https://canary-of-acme.example.com/', html: '<h1>canary-of-acme</h1>' }
await keepPage(host, 'acme', id, KEPT)
const explanationOf = (execution: string) =>
  `/api/v1/executions/${execution}/pages/explanation?url=${encodeURIComponent(KEPT.url)}`
const idFor = (path: string) =>
  path.includes('/agentic-executions/')
    ? String(acmeCall.body.data.id)
    : PUBLIC_IDS.test(path)
      ? 'article'
      : path.includes('/statements/')
        ? '2025-12'
        : path.includes('/top-ups/')
          ? topUp.id
          : path.includes('/tasks/')
            ? taskId
            : path.includes('/snapshots/')
              ? String(snapshotId)
              : path.includes('/datasets/')
                ? datasetId
                : path.includes('/media/')
                  ? mediaId
                  : path.includes('/webhooks/')
                    ? String(acmeHook.body.data.id)
                    : path.includes('/keys/')
                      ? String(acmeKey.body.data.id)
                      : id
const BODIES: Readonly<Record<string, object>> = {
  'tasks.create': { recipe: recipeOf() },
  'tasks.import': { version: 1, tasks: [{ name: 'New', recipe: recipeOf() }] },
  'previews.recipe': { recipe: recipeOf() },
  'snapshots.point': { elements: [1] },
  'estimates.recipe': { recipe: recipeOf() },
  'tasks.update': { name: 'New' },
  'executions.extract': { recipe: { formats: ['text'] } },
  'datasets.create': { name: 'New', keyFields: ['sku'] },
  'datasets.update': { name: 'New' },
  'mcp.call': { tool: 'search', arguments: { query: 'pens' } },
  'keys.create': { name: 'k', scopes: ['tasks:read'] },
  'templates.preview': { params: { urls: ['https://news.example.com/1'] } },
  'templates.run': { params: { urls: ['https://news.example.com/1'] } },
  'templates.save': { params: { urls: ['https://news.example.com/1'] } },
  'webhooks.create': { url: 'https://hooks.example.com/', events: ['*'] },
  'webhooks.update': { description: 'New' },
  'billing.subscribe': { plan: 'open' },
  'billing.topUp': { credits: 10 },
}
const bodyFor = (operation: string) => BODIES[operation]
const pathOf = (path: string) =>
  path.startsWith('/media/')
    ? mediaLink.pathname + mediaLink.search
    : path.endsWith('/explanation')
      ? explanationOf(idFor(path))
      : path.replace(':id', idFor(path))
const sentTo = (operation: string) => {
  const body = bodyFor(operation)
  return body === undefined ? {} : { body }
}

it('the route table has routes to test', () => {
  expect(host.routes.length).toBeGreaterThan(15)
})

const failingRoutes = (
  rows: readonly AnyRoute[],
  check: (route: AnyRoute) => Promise<unknown>,
): Promise<string[]> => failingCases(rows, ({ operation }) => operation, check)

it('every path answers other methods with 405 and the allowed methods', async () => {
  const failing = await failingRoutes(host.routes, async (route) => {
    const answer = await host.call('PROPFIND', pathOf(route.path))
    expect(answer.status).toBe(405)
    expect(route.bodies ? answer.body : answer.body.error.code).toEqual(
      route.bodies ? { error: 'This path does not support PROPFIND' } : 'METHOD_NOT_ALLOWED',
    )
    expect(answer.headers.get('allow')?.split(', ')).toContain(route.method)
  })
  expect(failing).toEqual([])
})

it('every route refuses query parameters it does not know', async () => {
  const failing = await failingRoutes(host.routes, async (route) => {
    const path = pathOf(route.path)
    const answer = await host.call(
      route.method,
      `${path}${path.includes('?') ? '&' : '?'}surprise=1`,
      sentTo(route.operation),
    )
    expect(answer.status).toBe(400)
    if (route.bodies)
      expect(answer.body).toEqual({ error: expect.stringContaining('surprise: unknown') })
    else
      expect(answer.body.error.issues).toContainEqual({
        path: 'surprise',
        message: expect.stringMatching(/^unknown/),
      })
  })
  expect(failing).toEqual([])
})

it('every path answers OPTIONS without a credential', async () => {
  const failing = await failingRoutes(host.routes, async (route) => {
    const answer = await host.send('OPTIONS', pathOf(route.path), { key: null })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('allow')).toContain(route.method)
  })
  expect(failing).toEqual([])
})

it('every path answers HEAD like GET, without a body', async () => {
  const reading = host.routes.filter(({ method }) => method === 'GET')
  const failing = await failingRoutes(reading, async ({ path }) => {
    const [get, head] = [
      await host.send('GET', pathOf(path)),
      await host.send('HEAD', pathOf(path)),
    ]
    expect([get.status, head.status]).toEqual([200, 200])
    expect(await head.text()).toBe('')
    const headersOf = (response: Response) =>
      [...response.headers].filter(([name]) => name !== 'x-request-id' && name !== 'content-length')
    expect(headersOf(head)).toEqual(headersOf(get))
    // Servers add the length of a body themselves, but cannot if there is no body.
    const length = head.headers.get('content-length')
    if (length === null) await get.body?.cancel()
    else expect((await get.arrayBuffer()).byteLength).toBe(Number(length))
  })
  expect(failing).toEqual([])
})

describe('answers have the shape that their route declares', async () => {
  const own = await createServiceHost()
  const seen = new Set<string>()
  const check = async (
    operation: string,
    path: string,
    sent: Parameters<typeof own.call>[2] = {},
  ) => {
    const route = own.routes.find((row) => row.operation === operation)
    if (!route?.data) throw new Error(`${operation} declares no data`)
    const answer = await own.call(route.method, path, sent)
    expect([operation, answer.status]).toEqual([operation, route.status ?? 200])
    expect(safeParse(await route.data(), answer.body.data).issues).toBeUndefined()
    seen.add(operation)
    return answer.body.data
  }

  it('for every operation', async () => {
    const task = await check('tasks.create', '/api/v1/tasks', {
      body: { recipe: recipeOf(), labels: ['a'] },
    })
    await check('tasks.list', '/api/v1/tasks')
    await check('tasks.import', '/api/v1/tasks/import', { body: BODIES['tasks.import'] })
    await check('tasks.get', `/api/v1/tasks/${task.id}`)
    await check('tasks.schedule', `/api/v1/tasks/${task.id}/schedule`)
    await check('tasks.update', `/api/v1/tasks/${task.id}`, { body: { description: 'x' } })
    const execution = await check('executions.start', `/api/v1/tasks/${task.id}/executions`)
    await own.addSegment(execution.id, [{ title: 'a', price: null }])
    await own.addVisit({
      execution: execution.id,
      seq: 0,
      url: 'https://shop.example.com/',
      reason: { code: 'a', message: 'b' },
    })
    await check('executions.listOfTask', `/api/v1/tasks/${task.id}/executions`)
    await check('executions.list', '/api/v1/executions')
    await check('executions.get', `/api/v1/executions/${execution.id}`)
    await addProposal(own, execution.id, 'h1')
    await check('tasks.repair', `/api/v1/tasks/${task.id}/drift/repair`, {
      body: { executionId: execution.id },
    })
    await check('executions.pages', `/api/v1/executions/${execution.id}/pages`)
    await check('results.list', `/api/v1/executions/${execution.id}/results`)
    for (const move of ['pause', 'resume', 'cancel', 'retry']) {
      const moved = await check(`executions.${move}`, `/api/v1/executions/${execution.id}/${move}`)
      if (move === 'retry') await own.call('POST', `/api/v1/executions/${moved.id}/cancel`)
    }
    await keepPage(own, 'acme', execution.id, KEPT)
    await check('executions.explain', explanationOf(execution.id))
    const extracted = await check(
      'executions.extract',
      `/api/v1/executions/${execution.id}/extract`,
      { body: { recipe: { formats: ['text'] } } },
    )
    await own.call('POST', `/api/v1/executions/${extracted.id}/cancel`)
    const dataset = await check('datasets.create', '/api/v1/datasets', {
      body: { name: 'Shop', keyFields: ['title'], mergePartial: true },
    })
    await own.call('PATCH', `/api/v1/tasks/${task.id}`, { body: { datasetId: dataset.id } })
    const started = await own.call('POST', `/api/v1/tasks/${task.id}/executions`)
    await own.addSegment(started.body.data.id, [
      { title: 'a', price: { amount: 1 } },
      { title: 'b', price: null },
    ])
    await own.call('POST', `/api/v1/executions/${started.body.data.id}/cancel`)
    await mergeAll(own.records, own.blobs, 'acme', dataset.id)
    await check('datasets.list', '/api/v1/datasets')
    await check('datasets.get', `/api/v1/datasets/${dataset.id}`)
    await check('datasets.update', `/api/v1/datasets/${dataset.id}`, {
      body: { retention: { goneDays: 1 } },
    })
    expect(
      (await check('datasets.items', `/api/v1/datasets/${dataset.id}/items`)).items,
    ).toHaveLength(2)
    expect(
      (await check('datasets.changes', `/api/v1/datasets/${dataset.id}/changes`)).items,
    ).toHaveLength(2)
    await check('tasks.delete', `/api/v1/tasks/${task.id}`)
    await check('datasets.delete', `/api/v1/datasets/${dataset.id}`)
    const secondTask = await check('tasks.create', '/api/v1/tasks', {
      body: { recipe: recipeOf() },
    })
    const key = await check('keys.create', '/api/v1/keys', {
      body: { name: 'k', scopes: ['tasks:read'] },
    })
    await check('keys.list', '/api/v1/keys')
    await check('keys.revoke', `/api/v1/keys/${key.id}`)
    await check('executions.planSteps', `/api/v1/executions/${execution.id}/plan/steps`)
    await check('previews.recipe', '/api/v1/tasks/preview', { body: { recipe: recipeOf() } })
    const { body } = await own.call('POST', '/api/v1/tasks/preview', {
      body: { recipe: recipeOf(), keep: true },
    })
    const snapshot = `/api/v1/snapshots/${body.data.pages[0].snapshot}`
    await check('snapshots.get', snapshot)
    await check('snapshots.point', `${snapshot}/candidates`, { body: { elements: [1] } })
    await check('snapshots.files', `${snapshot}/files`)
    await check('previews.task', `/api/v1/tasks/${secondTask.id}/preview`)
    await check('estimates.recipe', '/api/v1/tasks/estimate', { body: { recipe: recipeOf() } })
    await check('estimates.task', `/api/v1/tasks/${secondTask.id}/estimate`)
    const run = await check('executions.run', '/api/v1/executions', {
      body: { recipe: recipeOf() },
    })
    await check('executions.cancel', `/api/v1/executions/${run.id}/cancel`)
    await check('executions.deleteMedia', `/api/v1/executions/${run.id}/media`)
    await check('executions.deleteRows', `/api/v1/executions/${execution.id}/results`)
    await check('executions.delete', `/api/v1/executions/${execution.id}`)
    const bytes = new TextEncoder().encode('x')
    const sourceUrl = 'https://shop.example.com/x'
    const fileId = await addMedia(own, 'acme', { bytes, sourceUrl })
    await check('media.get', `/api/v1/media/${fileId}`)
    await check('me.get', '/api/v1/me')
    expect((await check('audit.list', '/api/v1/audit')).items).not.toEqual([])
    expect((await check('media.list', '/api/v1/media')).items).toHaveLength(1)
    const media = (await own.call('GET', '/api/v1/media')).body.data.items[0].id
    await check('media.delete', `/api/v1/media/${media}`)
    await check('mcp.tools', '/api/v1/mcp/tools')
    const call = await check('mcp.call', '/api/v1/mcp/agentic-executions', {
      body: { tool: 'search', arguments: { query: 'pens' } },
    })
    await check('mcp.get', `/api/v1/mcp/agentic-executions/${call.id}`)
    expect((await check('mcp.list', '/api/v1/mcp/agentic-executions')).items).toMatchObject([
      { id: call.id, tool: 'search', code: null, credits: 0 },
    ])
    const hook = await check('webhooks.create', '/api/v1/webhooks', {
      body: { url: 'https://hooks.example.com/', events: ['*'] },
    })
    const url = `/api/v1/webhooks/${hook.id}`
    await check('webhooks.list', '/api/v1/webhooks')
    await check('webhooks.get', url)
    await check('webhooks.update', url, { body: { description: 'x' } })
    await check('webhooks.rotate', `${url}/rotate`)
    const sent = await check('webhooks.test', `${url}/test`)
    await check('webhooks.deliveries', `${url}/deliveries`)
    await check('webhooks.redeliver', `${url}/deliveries/${sent.id}/redeliver`)
    await check('webhooks.delete', url)
    const mailed = await check('webhooks.create', '/api/v1/webhooks', {
      body: { url: 'mailto:ann@example.com', events: ['*'] },
    })
    const secret = () => platformSecret(own.records, seededRandom(), 'mail')
    const subject = { account: 'acme', webhook: mailed.id, address: 'ann@example.com' }
    const code = await codeFor(secret, { ...subject, askedAt: own.clock.now() })
    await check('webhooks.confirm', `/api/v1/webhooks/${mailed.id}/confirm`, { body: { code } })
    await check('templates.list', '/api/v1/templates?q=article', { key: null })
    await check('templates.categories', '/api/v1/templates/categories', { key: null })
    await check('templates.get', '/api/v1/templates/article', { key: null })
    const params = { urls: ['https://news.example.com/1'] }
    await check('templates.run', '/api/v1/templates/article/executions', { body: { params } })
    await check('templates.preview', '/api/v1/templates/article/preview', { body: { params } })
    await check('templates.save', '/api/v1/templates/article/tasks', { body: { params } })
    for (const name of [
      'balance',
      'ledger',
      'activity',
      'usage',
      'plans',
      'subscription',
      'statements',
    ])
      await check(`billing.${name}`, `/api/v1/billing/${name}`)
    for (const [operation, path] of [
      ['summary', 'usage/summary'],
      ['series', 'usage/series'],
      ['executions', 'executions'],
      ['tasks', 'tasks'],
      ['task', `tasks/${secondTask.id}`],
    ])
      await check(`analytics.${operation}`, `/api/v1/analytics/${path}`)
    await check('billing.callers', '/api/v1/billing/usage/callers?by=user')
    await check('billing.subscribe', '/api/v1/billing/subscription', { body: { plan: 'open' } })
    await check('billing.statement', '/api/v1/billing/statements/2026-01')
    const bought = await check('billing.topUp', '/api/v1/billing/top-ups', {
      body: { credits: 10 },
    })
    await check('billing.getTopUp', `/api/v1/billing/top-ups/${bought.id}`)
    expect((await check('billing.topUps', '/api/v1/billing/top-ups')).items).toHaveLength(1)
    expect([...seen].toSorted()).toEqual(
      own.routes
        .filter((route) => route.data)
        .map((route) => route.operation)
        .toSorted(),
    )
  })
})
