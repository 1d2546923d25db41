import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import type { Entry, Store } from '../../src/ports/store.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { OWNER, createWorld } from '../support/worlds/world.ts'

const MANY = 12
const DAY = 86_400_000
const URL = 'https://shop.example.com/'
const RECIPE = { start: { urls: [URL] }, extract: { fields: { title: 'h1' } } }

/**
 * A world on a store that notes how many tasks or executions are read at once; each of their
 * recipes may have a megabyte.
 */
function createCounted() {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  let most = 0
  const note = <T extends Entry | null>(entries: T[]): T[] => {
    most = Math.max(
      most,
      entries.filter((entry) => entry?.key[1] === 'tasks' || entry?.key[1] === 'executions').length,
    )
    return entries
  }
  const store: Store = {
    get: async (keys) => note(await base.get(keys)),
    list: async (range) => note(await base.list(range)),
    commit: (change) => base.commit(change),
    close: () => base.close(),
  }
  const plan = {
    id: 'small',
    name: 'Small',
    creditsPerMonth: 1_000,
    overdraft: null,
    retentionDays: 1,
  }
  const world = createWorld(
    { [URL]: '<h1>Shop</h1>' },
    { clock, store, billing: { plans: [plan] } },
  )
  const mostOf = async (work: () => Promise<unknown>): Promise<number> => {
    most = 0
    await work()
    return most
  }
  return { world, mostOf }
}

it(
  'tasks and executions are read a few at a time, however many there are',
  { timeout: 60_000 },
  async () => {
    const { world, mostOf } = createCounted()
    const { api } = world.platform
    for (let i = 0; i < MANY; i++) await world.start(RECIPE)
    const tasks = (await api.tasks.list(OWNER, { limit: 100 })).items.map(({ id }) => id)
    expect(tasks).toHaveLength(MANY)
    const [task = ''] = tasks
    const other = await api.tasks.create(OWNER, { name: 'other', recipe: RECIPE })
    const counts: Record<string, number> = {}
    counts['an end of a task'] = await mostOf(() => api.tasks.delete(OWNER, other.id))
    await world.work()
    for (let i = 0; i < MANY; i++) await api.executions.start(OWNER, task)
    await world.work()
    counts['a search'] = await mostOf(() =>
      api.agentic.call(OWNER, { tool: 'search', arguments: { query: 'shop' } }),
    )
    counts['activity'] = await mostOf(() => api.billing.activity(OWNER, { limit: 100 }))
    counts['usage'] = await mostOf(() => api.billing.usage(OWNER))
    counts['a task in analytics'] = await mostOf(() => api.analytics.task(OWNER, task))
    counts['a webhook'] = await mostOf(() =>
      api.webhooks.create(OWNER, {
        url: 'https://hooks.example.com/in',
        events: ['*'],
        taskIds: tasks,
      }),
    )
    await world.clock.advance(3 * DAY)
    counts['retention'] = await mostOf(() => world.work())
    expect((await api.executions.list(OWNER)).items).toEqual([])
    for (const [what, most] of Object.entries(counts)) expect(most, what).toBeLessThanOrEqual(4)
  },
)
