import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createOpenApi } from '../../../src/http/openapi/create-openapi.ts'
import { DEFAULT_INFO } from '../../../src/http/openapi/routes.ts'
import type { Limiter } from '../../../src/ports/limiter.ts'
import { mergeAll } from '../../support/worlds/merge-all.ts'
import { requestArbitrary } from '../../support/worlds/routes/request-arbitrary.ts'
import type { AnyRequest } from '../../support/worlds/routes/request-arbitrary.ts'
import { addAsked, unsubscribeToken } from '../../support/worlds/routes/mail-fixtures.ts'
import { addProposal } from '../../support/fakes/add-proposal.ts'
import { addMedia } from '../../support/fakes/add-media.ts'
import { keepPage } from '../../support/fakes/keep-pages.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'

/**
 * The number of requests of each operation. The environment can set more, or another seed, for a
 * longer search.
 */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? 200)
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_300_131)

let calls = 0
let confirming = 0
let isSeeding = false
/** Refuses every 40th request. */
const limiter: Limiter = {
  take: async () => ({
    allowed: isSeeding || calls % 40 !== 1,
    limit: 120,
    remaining: calls % 120,
    resetAt: 2_000_000_000_000,
  }),
  close: async () => undefined,
}

const host = await createServiceHost({
  limiter,
  maxBodyBytes: 65_536,
  cors: { origins: ['https://app.example'] },
})
const rows = [...host.routes, ...host.reference]
// Its examples are requests as well.
const document = await createOpenApi(rows, DEFAULT_INFO)
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)
const [narrow, foreign] = [await host.keyOf('acme', ['tasks:read']), await host.keyOf('globex')]
/** The known ids, by the part of the path before them. */
const knownIds = new Map<string, string[]>()
/** Values for fields of bodies that name existing records; those of examples name none. */
const named = new Map([['plan', 'open']])
let cursor = ''
let link = ''
/** Links of messages end with it. */
const token = await unsubscribeToken(host)
/** The token of the examples. */
const EXAMPLE_TOKEN = /token=WyJhY21l[\w-]*\.EXAMPLE/

/** Records in every state, under ids that the requests find. */
async function seed(isConfirming: boolean): Promise<void> {
  isSeeding = true
  const { id, taskId } = await host.executionWith([
    [
      { title: 'a', price: '1' },
      { title: '=b', price: null },
    ],
  ])
  const settled = await host.executionWith([])
  await host.executions.cancel({ account: 'acme', user: 'acme', scopes: ['*'] }, settled.id)
  const lone = await host.executionWith([])
  await host.executions.cancel({ account: 'acme', user: 'acme', scopes: ['*'] }, lone.id)
  await addProposal(host, settled.id, 'h1')
  named.set('executionId', settled.id)
  // The page in the example of explanations.
  const explained = { url: 'https://shop.example.com/pens/7', html: '<h1>Ink</h1>' }
  for (const { id: executionId } of [settled, lone])
    await keepPage(host, 'acme', executionId, explained)
  const key = await host.keys.create(
    { account: 'acme', user: 'acme', scopes: ['*'] },
    { name: 'k', scopes: ['tasks:read'] },
  )
  knownIds.set('tasks', [taskId, settled.taskId, lone.taskId])
  knownIds.set('executions', [id, settled.id, lone.id])
  knownIds.set('keys', [key.id])
  knownIds.set('templates', ['article'])
  knownIds.set('datasets', [await seedDataset()])
  const media = await addMedia(host, 'acme', {
    bytes: new TextEncoder().encode('{"a":1}'),
    declared: 'application/json',
    sourceUrl: 'https://shop.example.com/a.json',
  })
  knownIds.set('media', [media])
  knownIds.set('snapshots', [
    String(
      await host.snapshots.keep('acme', {
        url: 'https://shop.example.com/',
        contentType: 'text/html',
        body: new TextEncoder().encode('<ul><li>a</li><li>b</li></ul>'),
      }),
    ),
  ])
  link = new URL((await host.call('GET', `/api/v1/media/${media}`)).body.data.url).href.replace(
    'http://host.test',
    '',
  )
  // An account can have few webhooks, and requests add some.
  for (const { id: old } of (await host.call('GET', '/api/v1/webhooks?limit=100')).body.data.items)
    await host.call('DELETE', `/api/v1/webhooks/${old}`)
  const webhook: string = (
    await host.call('POST', '/api/v1/webhooks', {
      body: { url: 'https://hooks.example.com/', events: ['*'] },
    })
  ).body.data.id
  // A code is not mailed often, and only one operation takes it.
  const confirmed = isConfirming ? await addAsked(host, `ann${confirming++}@example.com`) : null
  if (confirmed !== null) named.set('code', confirmed.code)
  knownIds.set('webhooks', [confirmed?.id ?? webhook])
  knownIds.set('deliveries', [
    (await host.call('POST', `/api/v1/webhooks/${webhook}/test`)).body.data.id,
  ])
  knownIds.set('top-ups', [
    (await host.call('POST', '/api/v1/billing/top-ups', { body: { credits: 5 } })).body.data.id,
  ])
  knownIds.set('statements', ['2026-01'])
  knownIds.set('agentic-executions', [
    (
      await host.call('POST', '/api/v1/mcp/agentic-executions', {
        body: { tool: 'search', arguments: { query: 'pens' } },
      })
    ).body.data.id,
  ])
  const page = await host.call('GET', '/api/v1/tasks?limit=1')
  cursor = page.body.data.nextCursor
  isSeeding = false
}

async function seedDataset(): Promise<string> {
  const {
    body: {
      data: { id },
    },
  } = await host.call('POST', '/api/v1/datasets', {
    body: { name: 'Shop', keyFields: ['title'], mergePartial: true },
  })
  const { taskId } = await host.executionWith([])
  await host.call('PATCH', `/api/v1/tasks/${taskId}`, { body: { datasetId: id } })
  const started = await host.call('POST', `/api/v1/tasks/${taskId}/executions`)
  await host.addSegment(started.body.data.id, [
    { title: 'a', price: '1' },
    { title: '=b', price: null },
  ])
  await host.call('POST', `/api/v1/executions/${started.body.data.id}/cancel`)
  await mergeAll(host.records, host.blobs, 'acme', id)
  // Nothing refers to it, so it can be deleted.
  await host.call('PATCH', `/api/v1/tasks/${taskId}`, { body: { datasetId: null } })
  return id
}

async function send(
  path: string,
  { method, target, headers, body }: AnyRequest,
): Promise<Response> {
  const idOf = (_: string, kind: string, n: string) => {
    const ids = knownIds.get(kind.toLowerCase()) ?? knownIds.get(path.split('/')[3] ?? '') ?? []
    return `${kind}/${ids[Number(n) % ids.length] ?? 'none'}`
  }
  const linked = target.replace(/^\/media\/\{\d+\}\/\{\d+\}\/\{\d+\}(?:\?token=.*)?$/, link)
  const url = `http://host.test${linked
    .replace(/([\w-]*)\/\{(\d+)\}/g, idOf)
    .replace('{cursor}', cursor)
    .replace(EXAMPLE_TOKEN, `token=${token}`)}`
  calls++
  const credential =
    calls % 23 === 0 ? foreign : calls % 19 === 0 ? narrow : calls % 17 === 0 ? null : host.key
  const sent = new Headers(headers)
  if (credential !== null) sent.set('x-api-key', credential)
  if (body !== null && !sent.has('content-type')) sent.set('content-type', 'application/json')
  const takesBody = !['GET', 'HEAD'].includes(method.toUpperCase())
  const filled = typeof body === 'string' ? fill(body) : body
  return host.http(new Request(url, { method, headers: sent, body: takesBody ? filled : null }), {
    clientIp: '192.0.2.1',
  })
}

function fill(body: string): string {
  return body.replace(/"(\w+)":"(?:starter|exec_\w+|7KQ2-M9XB)"/g, (whole, field: string) =>
    named.has(field) ? `"${field}":"${named.get(field)}"` : whole,
  )
}

// `host.http` fails for every answer that the document does not describe.
describe.each(operations.map((one) => [one.operation.operationId, one] as const))(
  '%s',
  (_, { path, method, operation }) => {
    it(`the description has the answers to ${RUNS} requests, and none fails`, async () => {
      const seen = new Set<number>()
      let sent = 0
      await fc.assert(
        fc.asyncProperty(requestArbitrary(document, path, method, operation), async (request) => {
          if (sent++ % 25 === 0) await seed(operation.operationId === 'webhooks.confirm')
          const response = await send(path, request)
          seen.add(response.status)
          // Only in that case, as a stream of events may have no end.
          expect(
            response.status,
            response.status < 500 ? '' : await response.clone().text().catch(String),
          ).toBeLessThan(500)
          await response.body?.cancel()
        }),
        { numRuns: RUNS, seed: SEED, endOnFailure: true },
      )
      // The requests prove something only if some are accepted, and some refused in several ways.
      expect([...seen]).toContain(
        Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
      )
      expect(seen.size).toBeGreaterThanOrEqual(
        path.startsWith('/api/v1/') && operation.security.length > 0 ? 5 : 3,
      )
    })
  },
)

it('no request logs an internal error', () => {
  expect(host.logged.filter(({ level }) => level === 'error')).toEqual([])
})
