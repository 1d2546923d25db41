import { expect, it } from 'vitest'
import { billingJobs } from '../../src/features/billing/jobs.ts'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { through } from '../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const RECIPE = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }
const YEAR = 365 * 86_400_000
const TURN = {
  over: new AbortController().signal,
  progress: async () => {},
  idle() {},
  givesUp() {},
  clear() {},
}

it('an execution that a process with a clock a year ahead has created starts at once', async () => {
  const steady = createFakeClock()
  let ahead = YEAR
  const clock = { ...steady, now: () => steady.now() + ahead }
  const store = createMemoryStore({ clock: steady })
  const world = createWorld({ [SITE]: '<h1>x</h1>' }, { clock, store })
  // It dies before it has pushed the job, so a worker pushes it.
  const { api } = world.join(
    through(store, (change) =>
      change.set?.some(({ key }) => key[1] === 'jobs')
        ? Promise.reject(new Error('The process has died'))
        : store.commit(change),
    ),
  )
  const task = await api.tasks.create(OWNER, { name: 'x', recipe: RECIPE })
  const { id } = await api.executions.start(OWNER, task.id)
  ahead = 0
  await world.work()
  expect(await api.executions.get(OWNER, id)).toMatchObject({ status: 'succeeded' })
})

it('a job of a statement that comes before the end of its month waits for that end', async () => {
  const closed: string[] = []
  let now = Date.UTC(2026, 4, 30)
  const { statement } = billingJobs({
    clock: { now: () => now },
    statements: async () => ({
      close: async (_, period) => {
        closed.push(period)
        return null
      },
    }),
  })
  const come = () => {
    const job = { signal: new AbortController().signal, attempt: 1, lost: 0, turn: TURN }
    return statement?.({ account: 'acc', period: '2026-05' }, job)
  }
  expect(await come()).toEqual({ again: Date.UTC(2026, 5, 1) })
  expect(closed).toEqual([])
  now = Date.UTC(2026, 5, 1)
  expect(await come()).toBe('done')
  expect(closed).toEqual(['2026-05'])
})
