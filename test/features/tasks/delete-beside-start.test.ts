import { describe, expect, it } from 'vitest'
import type { Commit, Store } from '../../../src/ports/store.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'

const PAGES = { 'https://a.com/1': '<h1>One</h1>' }
const RECIPE = { start: { urls: Object.keys(PAGES) }, extract: { fields: { title: 'h1' } } }

/** A world in which another process acts right before the first commit of a kind. */
async function between(
  isMeant: (change: Commit) => boolean,
  meanwhile: (world: World, task: string) => Promise<unknown>,
) {
  const clock = createFakeClock()
  const base = createMemoryStore({ clock })
  const world = createWorld(PAGES, { clock, store: base })
  const task = await world.platform.api.tasks.create(OWNER, { name: 'x', recipe: RECIPE })
  let isOpen = true
  const store: Store = through(base, async (change) => {
    if (isOpen && isMeant(change)) {
      isOpen = false
      await meanwhile(world, task.id)
    }
    return base.commit(change)
  })
  return { world, task: task.id, slow: world.join(store), happened: () => !isOpen }
}

const removes =
  (collection: string) =>
  ({ delete: keys = [] }: Commit) =>
    keys.some((key) => key[1] === collection)
const inserts =
  (collection: string) =>
  ({ set = [] }: Commit) =>
    set.some(({ key }) => key[1] === collection)

describe('the deletion of a task', () => {
  it('is refused if an execution starts at the same time', async () => {
    const { world, task, slow, happened } = await between(removes('tasks'), (other, id) =>
      other.platform.api.executions.start(OWNER, id),
    )
    await expect(slow.api.tasks.delete(OWNER, task)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(happened()).toBe(true)
    expect(await world.platform.api.tasks.get(OWNER, task)).toMatchObject({ id: task })
  })

  it('is refused if an execution is retried at the same time', async () => {
    const { world, task, slow, happened } = await between(removes('tasks'), async (other, id) => {
      const [last] = (await other.platform.api.executions.listOfTask(OWNER, id)).items
      await other.platform.api.executions.retry(OWNER, last?.id ?? '')
    })
    await world.platform.api.executions.start(OWNER, task)
    await world.work()
    await expect(slow.api.tasks.delete(OWNER, task)).rejects.toMatchObject({ code: 'CONFLICT' })
    expect(happened()).toBe(true)
  })

  it('prevents the start of an execution', async () => {
    const { world, task, slow, happened } = await between(inserts('executions'), (other, id) =>
      other.platform.api.tasks.delete(OWNER, id),
    )
    await expect(slow.api.executions.start(OWNER, task)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    })
    expect(happened()).toBe(true)
    expect((await world.platform.api.executions.list(OWNER)).items).toEqual([])
  })

  it('prevents a retry of an execution of the task', async () => {
    const { world, task, slow, happened } = await between(inserts('executions'), (other, id) =>
      other.platform.api.tasks.update(OWNER, id, { status: 'archived' }),
    )
    const first = await world.platform.api.executions.start(OWNER, task)
    await world.work()
    await expect(slow.api.executions.retry(OWNER, first.id)).rejects.toMatchObject({
      code: 'CONFLICT',
    })
    expect(happened()).toBe(true)
  })
})
