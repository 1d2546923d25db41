import { expect, test } from 'vitest'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { AccountStatus } from '../../src/ports/authenticator.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'
import { OWNER } from '../support/worlds/world.ts'

const statuses = new Map<string, 'active' | 'suspended' | 'closed'>()
const asked: string[] = []
const accountStatus: AccountStatus = async (account) => {
  asked.push(account)
  return statuses.get(account) ?? 'active'
}

test('a suspended account is 403 with the reason, a closed one 401; at once and for every key', async () => {
  const host = await createServiceHost({ accountStatus })
  const [key, other] = [await host.keyOf('globex', ['tasks:read']), await host.keyOf('globex')]
  const ask = async (credential: string, path = '/api/v1/tasks') =>
    host.call('GET', path, { key: credential })
  expect((await ask(key)).status).toBe(200)
  statuses.set('globex', 'suspended')
  for (const credential of [key, other]) {
    const { status, body } = await ask(credential)
    expect([status, body]).toEqual([
      403,
      { success: false, error: { code: 'FORBIDDEN', message: 'The account is suspended' } },
    ])
  }
  expect((await ask(host.key)).status).toBe(200)
  statuses.set('globex', 'closed')
  const closed = await ask(key)
  const unknown = await ask(`svc_sk_${'A'.repeat(43)}`)
  expect([closed.status, closed.body, closed.headers.get('www-authenticate')]).toEqual([
    unknown.status,
    unknown.body,
    unknown.headers.get('www-authenticate'),
  ])
  statuses.set('globex', 'active')
  expect((await ask(key)).status).toBe(200)
})

test('it is asked of credentials alone: not for public paths, and not for keys that are none', async () => {
  const host = await createServiceHost({ accountStatus })
  asked.length = 0
  await host.call('GET', '/api/v1/openapi.json', { key: null })
  await host.call('GET', '/api/v1/tasks', { key: 'svc_sk_none' })
  expect(asked).toEqual([])
  await host.call('GET', '/api/v1/tasks')
  expect(asked).toEqual(['acme'])
})

test('a closed account counts against the address, and a host that fails to tell is a 500', async () => {
  const clock = createFakeClock()
  const host = await createServiceHost({
    accountStatus: () => 'closed',
    limiter: createMemoryLimiter({ clock }),
    rates: { authentication: { limit: 1, periodMs: 60_000, burst: 0 } },
  })
  const ask = async () =>
    (await host.call('GET', '/api/v1/tasks', { context: { clientIp: '192.0.2.1' } })).status
  expect([await ask(), await ask()]).toEqual([401, 429])
  const broken = await createServiceHost({
    accountStatus: () => Promise.reject(new Error('directory')),
  })
  expect((await broken.call('GET', '/api/v1/tasks')).status).toBe(500)
})

test('a platform passes it on, for credentials of any kind', async () => {
  const logger = { debug() {}, info() {}, warn() {}, error() {} }
  const platform = createPlatform({
    logger,
    accountStatus: (account) => (account === 'acme' ? 'suspended' : 'active'),
    authenticators: [
      async (request) => ({
        account: request.headers.get('x-user') ?? '',
        user: 'u',
        scopes: ['*'],
      }),
    ],
  })
  const ask = async (user: string) =>
    (
      await platform.fetch(
        new Request('http://host.test/api/v1/tasks', { headers: { 'X-User': user } }),
      )
    ).status
  expect([await ask('acme'), await ask('globex')]).toEqual([403, 200])
  await platform.close()
})

test('what a suspended account has started goes on to its end, and the host may end it', async () => {
  const clock = createFakeClock()
  const logger = { debug() {}, info() {}, warn() {}, error() {} }
  let status: 'active' | 'suspended' = 'active'
  const web = createFakeWeb({ 'https://shop.example.com/': '<h1>x</h1>' })
  const { api, worker } = createPlatform({
    store: createMemoryStore({ clock }),
    fetcher: web,
    clock,
    random: seededRandom(1),
    logger,
    rateLimits: false,
    accountStatus: () => status,
  })
  const task = await api.tasks.create(OWNER, { name: 'x', recipe: recipeOf() })
  const [runs, ended] = [
    await api.executions.start(OWNER, task.id),
    await api.executions.start(OWNER, task.id),
  ]
  status = 'suspended'
  await api.executions.cancel(OWNER, ended.id)
  await clock.runUntil(worker.tick())
  expect((await api.executions.get(OWNER, runs.id)).status).toBe('succeeded')
  expect((await api.executions.get(OWNER, ended.id)).status).toBe('cancelled')
})
