import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Schedule } from '../../../src/features/schedules/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const RECIPE = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }
const NINE = Date.parse('2026-05-04T09:00:00Z')
const MINUTE = 60_000
const schedule: Schedule = { cron: '* * * * *', timeZone: 'UTC', missed: 'run', overlap: true }

/** A world whose clock can be set back, as a time server does. */
async function open(changes: Partial<Schedule> = {}) {
  const steady = createFakeClock(NINE + 1_000)
  const back: { ms: number; after: number | null } = { ms: 0, after: null }
  const now = () => {
    const shown = steady.now() - back.ms
    if (back.after !== null && back.after-- === 0) back.ms = 2_700
    return shown
  }
  const clock = { ...steady, now }
  const store = createMemoryStore({ clock: steady })
  const world = createWorld({ [SITE]: '<h1>x</h1>' }, { clock, store })
  const task = await world.platform.api.tasks.create(OWNER, {
    name: 'x',
    recipe: RECIPE,
    schedule: { ...schedule, ...changes },
  })
  return { world, steady, back, store, task: task.id }
}

/** How often each time of the schedule started an execution. */
async function startsOf(world: World, task: string): Promise<number> {
  const { items } = await world.platform.api.executions.listOfTask(OWNER, task, { limit: 100 })
  return items.length
}

describe('one time of a schedule starts one execution', () => {
  it('if the clock is set back while it is started', async () => {
    const { world, steady, back, store, task } = await open()
    await steady.advance(MINUTE - 1_000)
    // The job is due by the clock, which is set back right after the check.
    const slow = world.join({
      ...through(store, (change) => store.commit(change)),
      get: async (keys) => {
        const entries = await store.get(keys)
        if (back.ms === 0 && keys.some((key) => key[1] === 'schedules')) back.after = 0
        return entries
      },
    })
    await world.work(slow)
    expect(back.ms).toBe(2_700)
    await steady.advance(4_000)
    await world.work()
    expect(await startsOf(world, task)).toBe(1)
  })

  it('if it is saved again by a process whose clock is behind', async () => {
    const { world, steady, back, task } = await open()
    await steady.advance(MINUTE - 1_000)
    await world.work()
    expect(await startsOf(world, task)).toBe(1)
    back.ms = 2_700
    await world.platform.api.tasks.update(OWNER, task, { schedule })
    await steady.advance(4_000)
    await world.work()
    expect(await startsOf(world, task)).toBe(1)
  })
})

describe('a schedule that a process with a clock a year ahead has run', () => {
  const YEAR = 365 * 24 * 60 * MINUTE
  const late = async () => {
    const all = await open()
    all.back.ms = -YEAR
    await all.steady.advance(MINUTE)
    await all.world.work()
    await all.steady.advance(MINUTE)
    await all.world.work()
    all.back.ms = 0
    return { ...all, runs: await startsOf(all.world, all.task) }
  }

  it('shows when it goes on', async () => {
    const { world, task } = await late()
    const { nextRuns } = await world.platform.api.schedules.get(OWNER, task)
    expect(nextRuns[0]).toMatch(/^2027-/)
  })

  it('goes on by itself, and runs no time twice', async () => {
    const { world, steady, back, task, runs } = await late()
    const work = async (minutes: number): Promise<void> => {
      for (let index = 0; index < minutes; index++) {
        await steady.advance(MINUTE)
        await world.work()
      }
    }
    // The clocks of two processes may differ by five minutes, so the next time is after these.
    await work(16)
    expect(await startsOf(world, task)).toBe(runs + 10)
    // The wrong clock is back for a moment: times that it runs early do not run again.
    back.ms = -YEAR
    await world.work()
    back.ms = 0
    const early = await startsOf(world, task)
    await work(20)
    const { items } = await world.platform.api.executions.listOfTask(OWNER, task, { limit: 100 })
    expect(items.length).toBeGreaterThan(early + 10)
    const times = items.map(({ scheduledFor }) => scheduledFor)
    expect(new Set(times).size).toBe(times.length)
  })

  it('goes on at once when it is saved again', async () => {
    const { world, steady, task, runs } = await late()
    await world.platform.api.tasks.update(OWNER, task, { schedule })
    expect((await world.platform.api.schedules.get(OWNER, task)).nextRuns[0]).toMatch(/^2026-05-04/)
    await steady.advance(MINUTE)
    await world.work()
    expect(await startsOf(world, task)).toBe(runs + 1)
  })
})
