import { describe, expect, test } from 'vitest'
import type { Json } from '../../../src/kernel/json.ts'
import type { Schedule } from '../../../src/features/schedules/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createServiceHost } from '../../support/worlds/service-host.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const recipe = {
  start: { urls: ['https://shop.example.com/'] },
  extract: { fields: { title: 'h1' } },
}
const NINE = Date.parse('2026-05-04T09:00:00Z')
const HOUR = 3_600_000
const hourly: Schedule = { cron: '0 * * * *', timeZone: 'UTC', missed: 'run', overlap: false }

async function worldWith(schedule: Partial<Schedule> = {}) {
  const clock = createFakeClock(NINE + 1_000)
  const world = createWorld({ 'https://shop.example.com/': '<h1>x</h1>' }, { clock })
  const task = await world.platform.api.tasks.create(OWNER, {
    name: 'x',
    recipe,
    schedule: { ...hourly, ...schedule },
  })
  return { world, clock, task: task.id }
}
const iso = (hour: number): string => new Date(NINE + hour * HOUR).toISOString()
const executionsOf = async (world: World, task: string) =>
  (await world.platform.api.executions.listOfTask(OWNER, task, { limit: 100 })).items
const stateOf = (world: World, task: string) => world.platform.api.schedules.get(OWNER, task)
/** Moves time on and works until nothing is due. */
async function pass(world: World, ms: number, platform = world.platform): Promise<void> {
  await world.clock.advance(ms)
  await world.work(platform)
}

test('the list of tasks has the next run of each', async () => {
  const { world, clock, task } = await worldWith()
  const { tasks } = world.platform.api
  await tasks.create(OWNER, { name: 'without', recipe })
  await tasks.create(OWNER, { name: 'asleep', recipe, status: 'paused', schedule: hourly })
  for (let index = 0; index < 40; index++)
    await tasks.create(OWNER, {
      name: 'daily',
      recipe,
      schedule: { ...hourly, cron: '0 12 * * *' },
    })
  const nextOf = async () => {
    const { items } = await tasks.list(OWNER, { limit: 100 })
    return [...Map.groupBy(items, ({ name }) => name)].map(([name, all]) => [
      name,
      ...new Set(all.map(({ nextRunAt }) => nextRunAt)),
    ])
  }
  const others = [
    ['daily', iso(3)],
    ['asleep', null],
    ['without', null],
  ]
  expect(await nextOf()).toEqual([...others, ['x', iso(1)]])
  // No worker has come: the time that is over is not the next one.
  await clock.advance(1.5 * HOUR)
  expect(await nextOf()).toEqual([...others, ['x', iso(2)]])
  expect((await stateOf(world, task)).nextRuns[0]).toBe(iso(2))
})

test('the times of the last week are named, since the task was last changed', async () => {
  const { world, clock, task } = await worldWith({ cron: '0 */6 * * *' })
  const { tasks } = world.platform.api
  expect((await stateOf(world, task)).pastTimes).toEqual([])
  // No worker comes.
  await clock.advance(9 * HOUR)
  expect((await stateOf(world, task)).pastTimes).toEqual([iso(3), iso(9)])
  await clock.advance(12 * 24 * HOUR)
  const { pastTimes } = await stateOf(world, task)
  expect(pastTimes).toHaveLength(28)
  expect([pastTimes[0], pastTimes.at(-1)]).toEqual([iso(9 + 5 * 24 + 6), iso(9 + 12 * 24)])
  await tasks.update(OWNER, task, { schedule: { ...hourly, cron: '* * * * *' } })
  expect((await stateOf(world, task)).pastTimes).toEqual([])
  await clock.advance(5 * HOUR)
  const many = (await stateOf(world, task)).pastTimes
  expect(many).toHaveLength(200)
  expect(many.at(-1)).toBe(iso(14 + 12 * 24))
  await tasks.update(OWNER, task, { status: 'paused' })
  expect((await stateOf(world, task)).pastTimes).toEqual([])
})

// The worlds begin on a Monday at 9:00.
test.for<readonly [cron: string, hours: number, first: number, last: number]>([
  ['* 9-12 * * 1', 11, 2 / 3, 3 + 59 / 60],
  ['*/5 8-17 * * 1-5', 7 * 24 - 2, 3 * 24 + 2 + 1 / 3, 4 * 24 + 8 + 55 / 60],
])('pauses hide no past time: %s', async ([cron, hours, first, last]) => {
  const { world, clock, task } = await worldWith({ cron })
  await clock.advance(hours * HOUR)
  const { pastTimes } = await stateOf(world, task)
  expect(pastTimes).toHaveLength(200)
  expect([pastTimes[0], pastTimes.at(-1)]).toEqual([iso(first), iso(last)])
})

describe('over HTTP', () => {
  test('a task shows its schedule with defaults, and its next runs', async () => {
    const host = await createServiceHost()
    const created = await host.call('POST', '/api/v1/tasks', {
      body: { recipe, schedule: { cron: '0 6 * * *', timeZone: 'Europe/Berlin' } },
    })
    expect(created.body.data.schedule).toEqual({
      cron: '0 6 * * *',
      timeZone: 'Europe/Berlin',
      missed: 'run',
      overlap: false,
    })
    const { body } = await host.call('GET', `/api/v1/tasks/${created.body.data.id}/schedule`)
    expect(body.data.nextRuns).toHaveLength(5)
    expect(body.data).toMatchObject({ schedule: created.body.data.schedule, last: null })
  })

  test.for<readonly [Json, string]>([
    [{ cron: '99 * * * *' }, 'schedule.cron'],
    [{ cron: '* * * * * *' }, 'schedule.cron'],
    [{ cron: '@daily', timeZone: 'Mars/Olympus' }, 'schedule.timeZone'],
    [{ timeZone: 'UTC' }, 'schedule.cron'],
    [{ cron: '@daily', missed: 'maybe' }, 'schedule.missed'],
    [{ cron: '@daily', every: 5 }, 'schedule.every'],
    ['@daily', 'schedule'],
  ])('%j is refused by name', async ([schedule, path]) => {
    const host = await createServiceHost()
    const { status, body } = await host.call('POST', '/api/v1/tasks', {
      body: { recipe, schedule },
    })
    expect(status).toBe(400)
    expect(body.error.issues.map((issue: { path: string }) => issue.path)).toContain(path)
  })

  test('null removes the schedule', async () => {
    const host = await createServiceHost()
    const { body } = await host.call('POST', '/api/v1/tasks', {
      body: { recipe, schedule: { cron: '@daily' } },
    })
    const changed = await host.call('PATCH', `/api/v1/tasks/${body.data.id}`, {
      body: { schedule: null },
    })
    expect(changed.body.data.schedule).toBeNull()
    expect((await host.call('GET', `/api/v1/tasks/${body.data.id}/schedule`)).body.data).toEqual({
      schedule: null,
      setBy: null,
      nextRuns: [],
      pastTimes: [],
      last: null,
    })
  })
})

describe('runs', () => {
  test('start at their times, each once, and show the time of the schedule', async () => {
    const { world, task } = await worldWith()
    await world.work()
    expect(await executionsOf(world, task)).toEqual([])
    for (let hour = 1; hour <= 3; hour++) await pass(world, HOUR)
    const executions = await executionsOf(world, task)
    expect(executions.map(({ scheduledFor, status }) => [scheduledFor, status])).toEqual([
      [iso(3), 'succeeded'],
      [iso(2), 'succeeded'],
      [iso(1), 'succeeded'],
    ])
    expect(await stateOf(world, task)).toMatchObject({
      nextRuns: [iso(4), iso(5), iso(6), iso(7), iso(8)],
      last: { at: iso(3), outcome: 'started', executionId: executions[0]?.id },
    })
  })

  test('start once if two workers get the same time', async () => {
    const { world, clock, task } = await worldWith()
    const others = [world.join(), world.join(), world.join()]
    await clock.advance(HOUR)
    await clock.runUntil(
      Promise.all([world.platform, ...others].map(({ worker }) => worker.tick())),
    )
    expect(await executionsOf(world, task)).toHaveLength(1)
  })

  test('wait for an unfinished run, unless runs may overlap', async () => {
    for (const overlap of [false, true]) {
      const { world, task } = await worldWith({ overlap })
      const held = await world.platform.api.executions.start(OWNER, task)
      await world.platform.api.executions.pause(OWNER, held.id)
      await pass(world, HOUR)
      expect(await executionsOf(world, task)).toHaveLength(overlap ? 2 : 1)
      expect((await stateOf(world, task)).last?.outcome).toBe(
        overlap ? 'started' : 'skipped_overlap',
      )
    }
  })

  test('are skipped while a task is paused, and go on when it is active again', async () => {
    const { world, task } = await worldWith()
    await world.platform.api.tasks.update(OWNER, task, { status: 'paused' })
    expect((await stateOf(world, task)).nextRuns).toEqual([])
    await pass(world, HOUR)
    expect((await stateOf(world, task)).last).toEqual({
      at: iso(1),
      outcome: 'skipped_paused',
      executionId: null,
      message: null,
    })
    await world.platform.api.tasks.update(OWNER, task, { status: 'active' })
    await pass(world, HOUR)
    expect((await executionsOf(world, task)).map(({ scheduledFor }) => scheduledFor)).toEqual([
      iso(2),
    ])
  })

  test.for([
    ['run', 1],
    ['skip', 0],
  ] as const)('after times without a worker: %s starts %i', async ([missed, started]) => {
    const { world, task } = await worldWith({ missed })
    await pass(world, 10 * HOUR)
    expect(await executionsOf(world, task)).toHaveLength(started)
    expect(await stateOf(world, task)).toMatchObject({
      nextRuns: expect.arrayContaining([iso(11)]),
      last: { at: iso(1), outcome: missed === 'run' ? 'started' : 'skipped_missed' },
    })
    await pass(world, HOUR)
    expect((await executionsOf(world, task))[0]?.scheduledFor).toBe(iso(11))
  })

  test('follow a changed schedule from then on', async () => {
    const { world, task } = await worldWith()
    await world.platform.api.tasks.update(OWNER, task, {
      schedule: { ...hourly, cron: '30 * * * *' },
    })
    await pass(world, 1.25 * HOUR)
    expect((await executionsOf(world, task)).map(({ scheduledFor }) => scheduledFor)).toEqual([
      iso(0.5),
    ])
  })

  test('of an archived or deleted task no longer start, and leave no records behind', async () => {
    for (const end of ['archive', 'delete'] as const) {
      const { world, task } = await worldWith()
      if (end === 'archive')
        await world.platform.api.tasks.update(OWNER, task, { status: 'archived' })
      else await world.platform.api.tasks.delete(OWNER, task)
      await pass(world, 3 * HOUR)
      expect((await world.platform.api.executions.list(OWNER)).items).toEqual([])
      expect(await world.store.list({ prefix: ['acme', 'schedules'], limit: 10 })).toEqual([])
      expect(await world.store.list({ prefix: ['~', 'jobs'], limit: 10 })).toEqual([])
    }
  })
})
