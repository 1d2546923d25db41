import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { PlatformOptions } from '../../../src/platform/options.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'
import { createServiceHost, recipeOf } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const TASKS = '/api/v1/tasks'
const daily = { cron: '@daily' }
const hourly = { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: false } as const
const HOUR = 3_600_000
const NINE = Date.parse('2026-05-04T09:00:00Z')
const recipe = recipeOf()
const silent = { debug() {}, info() {}, warn() {}, error() {} }

describe('without executions:write', () => {
  it('no task with a schedule can be made', async () => {
    const host = await createServiceHost()
    const key = await host.keyOf('acme', ['tasks:write'])
    const refused = await host.call('POST', TASKS, { body: { recipe, schedule: daily }, key })
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      expect.stringContaining('executions:write'),
    ])
    for (const schedule of [{}, { schedule: null }])
      expect((await host.call('POST', TASKS, { body: { recipe, ...schedule }, key })).status).toBe(
        201,
      )
    const both = await host.keyOf('acme', ['tasks:write', 'executions:write'])
    expect(
      (await host.call('POST', TASKS, { body: { recipe, schedule: daily }, key: both })).status,
    ).toBe(201)
  })

  it.each([
    [{ schedule: { cron: '@hourly' } }, 403],
    [{ recipe: recipeOf({ other: 'h2' }) }, 403],
    [{ status: 'active' }, 403],
    [{ name: 'Other', labels: ['a'], description: 'x' }, 200],
    [{ schedule: null }, 200],
    [{ schedule: null, recipe: recipeOf({ other: 'h2' }), status: 'active' }, 200],
  ])('a change %j of a task with a paused schedule is answered %i', async (patch, status) => {
    const host = await createServiceHost()
    const created = await host.call('POST', TASKS, {
      body: { recipe, schedule: daily, status: 'paused' },
    })
    const key = await host.keyOf('acme', ['tasks:write'])
    expect(
      (await host.call('PATCH', `${TASKS}/${created.body.data.id}`, { body: patch, key })).status,
    ).toBe(status)
  })

  it('a task without a schedule accepts a new recipe, but no schedule', async () => {
    const host = await createServiceHost()
    const created = await host.call('POST', TASKS, { body: { recipe } })
    const key = await host.keyOf('acme', ['tasks:write'])
    expect(
      (
        await host.call('PATCH', `${TASKS}/${created.body.data.id}`, {
          body: { recipe: recipeOf({ other: 'h2' }) },
          key,
        })
      ).status,
    ).toBe(200)
    expect(
      (
        await host.call('PATCH', `${TASKS}/${created.body.data.id}`, {
          body: { schedule: daily },
          key,
        })
      ).status,
    ).toBe(403)
  })
})

/** A world with an hourly task, set with a key that ends as wanted. */
async function scheduled(expiresAt?: string) {
  const clock = createFakeClock(NINE + 1_000)
  const world = createWorld(
    { 'https://shop.example.com/': '<h1>x</h1>', 'https://hooks.example.com/in': '' },
    { clock },
  )
  const { api } = world.platform
  const key = await api.keys.create(OWNER, {
    name: 'nightly',
    scopes: ['tasks:*', 'executions:*'],
    ...(expiresAt && { expiresAt }),
  })
  const setter = { account: 'acme', user: 'acme', key: key.id, scopes: key.scopes }
  await api.webhooks.create(OWNER, {
    url: 'https://hooks.example.com/in',
    events: ['schedule.refused'],
  })
  const task = await api.tasks.create(setter, { name: 'x', recipe, schedule: hourly })
  const hour = async () => {
    await clock.advance(HOUR)
    await world.work()
  }
  return {
    world,
    api,
    key,
    task: task.id,
    hour,
    state: () => api.schedules.get(OWNER, task.id),
    runs: async () => (await api.executions.listOfTask(OWNER, task.id, {})).items.length,
    told: () => world.web.requests.get('https://hooks.example.com/in') ?? 0,
  }
}

describe('a schedule that a key has set', () => {
  it('runs while the key is valid, and shows who set it', async () => {
    const { hour, runs, state, key } = await scheduled()
    expect((await state()).setBy).toEqual({ user: 'acme', keyId: key.id })
    await hour()
    expect([await runs(), (await state()).last?.outcome]).toEqual([1, 'started'])
  })

  it('is refused once the key is revoked, with one event, and runs again when it is saved anew', async () => {
    const { api, key, task, hour, runs, state, told } = await scheduled()
    await hour()
    await api.keys.revoke(OWNER, key.id)
    await hour()
    expect(await runs()).toBe(1)
    expect((await state()).last).toMatchObject({
      outcome: 'refused',
      message: expect.stringMatching(/"nightly" .* was revoked.*Save the schedule again/),
    })
    expect((await state()).nextRuns).toHaveLength(5)
    await hour()
    expect([await runs(), told()]).toEqual([1, 1])
    await api.tasks.update(OWNER, task, { schedule: hourly })
    expect((await state()).setBy).toEqual({ user: 'ann', keyId: null })
    await hour()
    expect([await runs(), (await state()).last?.outcome]).toEqual([2, 'started'])
  })

  it('is refused once the key has expired', async () => {
    const { hour, runs, state } = await scheduled('2026-05-04T10:30:00Z')
    await hour()
    await hour()
    expect([await runs(), (await state()).last?.message]).toEqual([
      1,
      expect.stringContaining('has expired'),
    ])
  })

  it('is refused at the moment at which the key expires', async () => {
    const { hour, runs, state } = await scheduled(new Date(NINE + 1_000 + HOUR).toISOString())
    await hour()
    expect([await runs(), (await state()).last?.outcome]).toEqual([0, 'refused'])
  })

  it('is refused once the key may start no executions any more', async () => {
    const { world, key, hour, runs, state } = await scheduled()
    const records = createRecords(world.store)
    const stored = await records.apiKeys.get('acme', key.id)
    if (!stored) throw new Error('no key')
    const change = new Change()
    records.apiKeys.update(change, 'acme', stored, { ...stored.value, scopes: ['tasks:*'] })
    expect(await records.commit(change)).toBe(true)
    await hour()
    expect([await runs(), (await state()).last?.message]).toEqual([
      0,
      expect.stringContaining('does not have the scope executions:write'),
    ])
  })

  it('belongs to the last caller who changed its recipe or times', async () => {
    const { api, key, task, hour, runs } = await scheduled()
    await api.tasks.update(OWNER, task, { name: 'Other' })
    await api.keys.revoke(OWNER, key.id)
    await hour()
    expect(await runs()).toBe(0)
    await api.tasks.update(OWNER, task, { recipe: recipeOf({ other: 'h2' }) })
    await hour()
    expect(await runs()).toBe(1)
  })
})

it('a schedule that was stored without its key runs on', async () => {
  const { world, api, key, task, hour, runs, state } = await scheduled()
  const records = createRecords(world.store)
  const stored = await records.schedules.get('acme', task)
  if (!stored) throw new Error('no schedule')
  const { setBy: _setBy, ...before } = stored.value
  const change = new Change()
  records.schedules.update(change, 'acme', stored, before)
  expect(await records.commit(change)).toBe(true)
  await api.keys.revoke(OWNER, key.id)
  await hour()
  expect([await runs(), (await state()).setBy]).toEqual([1, null])
})

describe('a schedule that was set in a session', () => {
  /** An hourly task of a user without a key, on a platform that asks its host about users. */
  async function bySession(host: Pick<PlatformOptions, 'accountStatus' | 'mayRunSchedule'>) {
    const clock = createFakeClock(NINE + 1_000)
    const web = createFakeWeb({ 'https://shop.example.com/': '<h1>x</h1>' })
    const { api, worker } = createPlatform({
      store: createMemoryStore({ clock }),
      fetcher: web,
      clock,
      random: seededRandom(1),
      logger: silent,
      rateLimits: false,
      ...host,
    })
    const task = await api.tasks.create(OWNER, { name: 'x', recipe, schedule: hourly })
    return {
      hour: async () => {
        await clock.advance(HOUR)
        await clock.runUntil(worker.tick())
        return (await api.schedules.get(OWNER, task.id)).last
      },
    }
  }

  it('runs as long as the host says that the user may', async () => {
    const setters: unknown[] = []
    let may: boolean | Promise<boolean> = true
    const { hour } = await bySession({ mayRunSchedule: (setter) => (setters.push(setter), may) })
    expect(await hour()).toMatchObject({ outcome: 'started' })
    may = Promise.resolve(false)
    expect(await hour()).toMatchObject({
      outcome: 'refused',
      message: expect.stringContaining('The user ann'),
    })
    may = true
    expect(await hour()).toMatchObject({ outcome: 'started' })
    expect(setters).toEqual(Array.from({ length: 3 }, () => ({ account: 'acme', user: 'ann' })))
  })

  it('runs until it is changed if the host does not say', async () => {
    const { hour } = await bySession({})
    expect(await hour()).toMatchObject({ outcome: 'started' })
  })

  it('does not run while the account is suspended or closed, and runs again afterwards', async () => {
    let status: 'active' | 'suspended' | 'closed' = 'suspended'
    const { hour } = await bySession({ accountStatus: () => status })
    expect(await hour()).toMatchObject({ outcome: 'refused', message: 'The account is suspended' })
    status = 'closed'
    expect(await hour()).toMatchObject({ outcome: 'refused', message: 'The account is closed' })
    status = 'active'
    expect(await hour()).toMatchObject({ outcome: 'started' })
  })
})
