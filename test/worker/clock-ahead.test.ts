import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { through } from '../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../support/worlds/world.ts'

const SITE = 'https://shop.example.com/'
const RECIPE = { start: { urls: [SITE] }, extract: { fields: { title: 'h1' } } }
const YEAR = 365 * 86_400_000

it('an execution that a process with a clock a year ahead asks for starts at once', async () => {
  const steady = createFakeClock()
  let ahead = YEAR
  const clock = { ...steady, now: () => steady.now() + ahead }
  const store = createMemoryStore({ clock: steady })
  const world = createWorld({ [SITE]: '<h1>x</h1>' }, { clock, store })
  // It dies before it has pushed the job, so that a worker does.
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
