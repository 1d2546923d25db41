import { describe, expect, test } from 'vitest'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { DAY_MS } from '../../src/kernel/time.ts'
import type { PlatformOptions } from '../../src/platform/options.ts'
import { createPlatform } from '../../src/platform/platform.ts'
import type { AccountStatus } from '../../src/ports/authenticator.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../support/fakes/fake-web.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'
import { createServiceHost, recipeOf } from '../support/worlds/service-host.ts'
import { OWNER } from '../support/worlds/world.ts'
import { addMedia } from '../support/fakes/add-media.ts'
import { createWebhookWorld } from '../support/worlds/webhook-world.ts'

const statuses = new Map<string, 'active' | 'suspended' | 'closed'>()
const accounts: string[] = []
const accountStatus: AccountStatus = async (account) => {
  accounts.push(account)
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

test.each(['gone', 'Active', '', null, true, { status: 'active' }])(
  'an answer of the host that is no status closes the account: %j',
  async (answer) => {
    const host = await createServiceHost({
      accountStatus: async () => JSON.parse(JSON.stringify(answer)),
    })
    expect((await host.call('GET', '/api/v1/tasks')).status).toBe(401)
  },
)

test('the status is asked only for valid credentials: not for public paths or invalid keys', async () => {
  const host = await createServiceHost({ accountStatus })
  accounts.length = 0
  await host.call('GET', '/api/v1/openapi.json', { key: null })
  await host.call('GET', '/api/v1/tasks', { key: 'svc_sk_none' })
  expect(accounts).toEqual([])
  await host.call('GET', '/api/v1/tasks')
  expect(accounts).toEqual(['acme'])
})

test('a host that never answers is 503 after five seconds, with a time to try again', async () => {
  const clock = createFakeClock()
  const platform = createPlatform({
    clock,
    accountStatus: () => new Promise(() => undefined),
    authenticators: [async () => OWNER],
  })
  const asking = platform.fetch(new Request('https://seine.example.com/api/v1/tasks'))
  await clock.advance(4_999)
  let isAnswered = false
  void asking.finally(() => (isAnswered = true))
  await clock.advance(0)
  expect(isAnswered).toBe(false)
  const answer = await clock.runUntil(asking)
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await answer.json()).toMatchObject({ error: { code: 'SERVICE_UNAVAILABLE' } })
  expect(clock.sleeping).toBe(0)
  await platform.close()
})

test('calls of a closed account count against their address, and a failure of the host is a 500', async () => {
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

test('the platform checks the status for credentials of any kind', async () => {
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

/** A platform with one page, whose account has the status of `standing`. */
async function withStanding(
  pages: Parameters<typeof createFakeWeb>[0] = PAGE,
  options: Pick<PlatformOptions, 'billing' | 'suspendedRunDays'> = {},
) {
  const clock = createFakeClock()
  const logger = { debug() {}, info() {}, warn() {}, error() {} }
  const standing: { now: 'active' | 'suspended' | 'closed' } = { now: 'active' }
  const web = createFakeWeb(pages)
  const platform = createPlatform({
    store: createMemoryStore({ clock }),
    fetcher: web,
    clock,
    random: seededRandom(1),
    logger,
    rateLimits: false,
    accountStatus: () => standing.now,
    ...options,
  })
  const task = await platform.api.tasks.create(OWNER, { name: 'x', recipe: recipeOf() })
  return { ...platform, platform, clock, standing, task, web }
}

const PAGE = { 'https://shop.example.com/': '<h1>x</h1>' }

test('an execution of a suspended account is paused before its first request, and can go on later', async () => {
  const { api, worker, clock, standing, task, web } = await withStanding()
  const run = await api.executions.start(OWNER, task.id)
  standing.now = 'suspended'
  await clock.runUntil(worker.tick())
  expect((await api.executions.get(OWNER, run.id)).status).toBe('paused')
  expect(web.requests.size).toBe(0)
  standing.now = 'active'
  await api.executions.resume(OWNER, run.id)
  await clock.runUntil(worker.tick())
  expect((await api.executions.get(OWNER, run.id)).status).toBe('succeeded')
})

describe('an execution of an account that stays suspended', () => {
  const billing = { plans: [{ id: 'p', name: 'P', creditsPerMonth: 20_000 }] } as const
  const suspended = async (suspendedRunDays?: number | null) => {
    const world = await withStanding(PAGE, {
      billing,
      ...(suspendedRunDays !== undefined && { suspendedRunDays }),
    })
    const { id } = await world.api.executions.start(OWNER, world.task.id)
    world.standing.now = 'suspended'
    const pass = async (days: number) => {
      await world.clock.advance(days * DAY_MS)
      await world.clock.runUntil(world.worker.tick())
    }
    await pass(0)
    const state = async () => {
      const { status, reason } = await world.api.executions.get(OWNER, id)
      return [status, reason?.code, (await world.api.billing.balance(OWNER)).credits.held]
    }
    return { ...world, id, pass, state }
  }

  test.each([
    [undefined, 30],
    [3, 3],
  ])('ends after %s days, %i by default, and returns its held credits', async (option, days) => {
    const { pass, state, platform } = await suspended(option)
    expect(await state()).toEqual(['paused', 'account_suspended', 1])
    await pass(days - 0.5)
    expect(await state()).toEqual(['paused', 'account_suspended', 1])
    await pass(1)
    expect(await state()).toEqual(['cancelled', 'account_suspended', 0])
    expect((await platform.verify()).differences).toEqual([])
  })

  test('does not end if it was resumed and paused since then, or if the host says never', async () => {
    const { pass, state, standing, api, id } = await suspended()
    standing.now = 'active'
    await pass(20)
    await api.executions.resume(OWNER, id)
    await api.executions.pause(OWNER, id)
    await pass(20)
    expect(await state()).toEqual(['paused', undefined, 1])
    const never = await suspended(null)
    await never.pass(400)
    expect(await never.state()).toEqual(['paused', 'account_suspended', 1])
  })
})

test('an execution of a closed account is cancelled, and costs nothing', async () => {
  const { api, worker, clock, standing, task, web } = await withStanding()
  const run = await api.executions.start(OWNER, task.id)
  standing.now = 'closed'
  await clock.runUntil(worker.tick())
  expect((await api.executions.get(OWNER, run.id)).status).toBe('cancelled')
  expect(web.requests.size).toBe(0)
})

test('a running execution is paused within ten seconds, and requests no further page', async () => {
  const { api, worker, clock, standing, task, web } = await withStanding({
    'https://shop.example.com/': () => {
      standing.now = 'suspended'
      return '<h1>x</h1><a href="/next">next</a>'
    },
    'https://shop.example.com/next': '<h1>y</h1>',
  })
  const recipe = {
    start: { urls: ['https://shop.example.com/'] },
    follow: [{ links: 'a' }],
    extract: { fields: { title: 'h1' } },
    crawl: { delayMs: 60_000 },
  }
  await api.tasks.update(OWNER, task.id, { recipe })
  const run = await api.executions.start(OWNER, task.id)
  await clock.runUntil(worker.tick())
  expect((await api.executions.get(OWNER, run.id)).status).toBe('paused')
  expect(web.requests.has('https://shop.example.com/next')).toBe(false)
})

test('links to media of an account that may not be used are refused', async () => {
  let standing: 'active' | 'suspended' | 'closed' = 'active'
  const host = await createServiceHost({ accountStatus: () => standing })
  const id = await addMedia(host, 'acme', {
    bytes: new Uint8Array(9),
    sourceUrl: 'https://shop.example.com/a/file',
  })
  const { url } = (await host.call('GET', `/api/v1/media/${id}`)).body.data
  const { pathname, search } = new URL(url)
  const ask = async () => (await host.call('HEAD', pathname + search, { key: null })).status
  expect(await ask()).toBe(200)
  for (standing of ['suspended', 'closed'] as const) expect(await ask()).toBe(403)
})

test('messages of webhooks wait while the account is suspended, and a closed one gets none', async () => {
  let standing: 'active' | 'suspended' | 'closed' = 'suspended'
  const world = createWebhookWorld({ accountStatus: () => standing })
  await world.add()
  await world.emit()
  await world.work()
  expect(world.got).toHaveLength(0)
  standing = 'active'
  await world.clock.advance(600_000)
  await world.work()
  expect(world.got).toHaveLength(1)
  standing = 'closed'
  await world.emit({ id: 'evt_2' })
  await world.work()
  standing = 'active'
  await world.clock.advance(600_000)
  await world.work()
  expect(world.got).toHaveLength(1)
})
