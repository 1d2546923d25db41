import { expect, test } from 'vitest'
import { joinStanding } from '../../../src/features/operator/standing.ts'
import { openOperatorRecords } from '../../../src/features/operator/records.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import { createRecords } from '../../../src/features/records.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const STATES = ['active', 'suspended', 'closed'] as const
const silent = { debug() {}, info() {}, warn() {}, error() {} }

test('the stricter status of host and operator holds, and an invalid status closes the account', async () => {
  const store = createMemoryStore()
  const operatorRecords = openOperatorRecords(store)
  const records = createRecords(store)
  for (const [index, own] of STATES.entries()) {
    const change = new Change()
    operatorRecords.states.insert(change, SYSTEM, {
      account: own,
      state: own,
      reason: '',
      since: 0,
      by: { account: '', user: '', key: null },
    })
    await records.commit(change)
    expect(await joinStanding(operatorRecords, null)(own)).toBe(own)
    for (const [other, otherState] of STATES.entries())
      expect(await joinStanding(operatorRecords, async () => otherState)(own)).toBe(
        STATES[Math.max(index, other)],
      )
    const odd = JSON.parse('"Active"')
    expect(await joinStanding(operatorRecords, async () => odd)(own)).toBe('closed')
  }
  expect(await joinStanding(operatorRecords, null)('nobody')).toBe('active')
})

/** Two processes on one store: one answers, one works. */
function twoProcesses() {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const web = createFakeWeb({
    'https://shop.example.com/': { body: '<h1>A</h1><a href="/2">2</a>' },
    'https://shop.example.com/2': { body: '<h1>B</h1>' },
  })
  const open = (seed: number) =>
    createPlatform({
      store,
      clock,
      random: seededRandom(seed),
      fetcher: web,
      logger: silent,
      operator: true,
      rateLimits: false,
      authenticators: [
        async (request) => {
          const user = request.headers.get('x-user')
          if (user === null) return null
          return { account: user, user, scopes: user === 'staff' ? ['operator'] : ['*'] }
        },
      ],
    })
  const [api, worker] = [open(1), open(2)]
  const ask = async (user: string, method: string, path: string, body?: object) => {
    const response = await api.fetch(
      new Request(`https://seine.example.com/api/v1${path}`, {
        method,
        headers: { 'x-user': user, ...(body && { 'content-type': 'application/json' }) },
        body: body ? JSON.stringify(body) : null,
      }),
    )
    const { data, error } = await response.json()
    return { status: response.status, data, error }
  }
  return { clock, store, api, worker, ask }
}

const REASON = { reason: 'Unpaid' }
const recipe = { start: { urls: ['https://shop.example.com/'] }, extract: { fields: { t: 'h1' } } }

test('a suspension holds in other processes: a queued run is paused there, and goes on when released', async () => {
  const { clock, api, worker, ask } = twoProcesses()
  const { data } = await ask('acme', 'POST', '/executions', { recipe })
  const run: string = data.id
  expect((await ask('staff', 'POST', '/operator/accounts/acme/suspend', REASON)).status).toBe(200)
  expect((await ask('acme', 'GET', `/executions/${run}`)).status).toBe(403)
  await clock.runUntil(worker.worker.tick())
  const seen = async () => (await ask('staff', 'GET', '/operator/runs?account=acme')).data.items[0]
  expect(await seen()).toMatchObject({ status: 'paused', reason: { code: 'account_suspended' } })
  await ask('staff', 'POST', '/operator/accounts/acme/resume', REASON)
  expect((await ask('staff', 'GET', '/operator/stuck')).data.items).toMatchObject([
    { id: run, stuck: { code: 'left_paused' } },
  ])
  await ask('staff', 'POST', `/operator/accounts/acme/runs/${run}/release`, REASON)
  await clock.runUntil(worker.worker.tick())
  expect(await seen()).toMatchObject({ status: 'succeeded', rows: 1 })
  await Promise.all([api.close(), worker.close()])
})

test('a suspended account is resumed although all of its records have been deleted', async () => {
  const { store, api, worker, ask } = twoProcesses()
  await ask('acme', 'POST', '/tasks', { name: 'A task', recipe })
  await ask('staff', 'POST', '/operator/accounts/acme/suspend', REASON)
  const entries = await store.list({ prefix: ['acme'], limit: 1_000 })
  await store.commit({ delete: entries.map(({ key }) => key) })
  expect((await ask('acme', 'GET', '/tasks')).status).toBe(403)
  const resumed = await ask('staff', 'POST', '/operator/accounts/acme/resume', REASON)
  expect(resumed).toMatchObject({ status: 200, data: { state: 'active' } })
  expect((await ask('acme', 'GET', '/tasks')).status).toBe(200)
  expect((await ask('staff', 'POST', '/operator/accounts/nobody/resume', REASON)).status).toBe(404)
  await Promise.all([api.close(), worker.close()])
})

test("a closed account's run is cancelled, and its credits return", async () => {
  const { clock, api, worker, ask } = twoProcesses()
  await ask('acme', 'POST', '/executions', { recipe })
  await ask('staff', 'POST', '/operator/accounts/acme/close', REASON)
  expect((await ask('acme', 'GET', '/tasks')).status).toBe(401)
  await clock.runUntil(worker.worker.tick())
  const { data } = await ask('staff', 'GET', '/operator/runs')
  expect(data.items).toMatchObject([{ status: 'cancelled' }])
  const account = await ask('staff', 'GET', '/operator/accounts/acme')
  expect(account.data).toMatchObject({ state: 'closed', held: 0 })
  await Promise.all([api.close(), worker.close()])
})

test('a worker reports that it is alive and which jobs it has, and disappears when it stops', async () => {
  const { clock, api, worker, ask } = twoProcesses()
  const stop = new AbortController()
  const workers = async () => (await ask('staff', 'GET', '/operator/workers')).data.workers
  expect(await workers()).toEqual([])
  const running = worker.worker.run({ signal: stop.signal })
  await clock.advance(10_000)
  const [first] = await workers()
  expect(first).toMatchObject({ holds: 0, jobs: [] })
  await clock.advance(10_000)
  const [later] = await workers()
  expect(Date.parse(later.aliveAt) - Date.parse(first.aliveAt)).toBe(10_000)
  stop.abort()
  await clock.runUntil(running)
  expect(await workers()).toEqual([])
  await Promise.all([api.close(), worker.close()])
})
