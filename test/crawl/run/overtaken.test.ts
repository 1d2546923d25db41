import { expect, it } from 'vitest'
import { Fence } from '../../../src/crawl/commit/fence.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { LATE_MS } from '../../../src/features/executions/lifecycle.ts'
import { createRecords } from '../../../src/features/records.ts'
import { StillLeases } from '../../../src/kernel/leases.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { createWorld, LEASE_MS, OWNER } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = { [`${SITE}/0`]: '<h1>Page</h1>' }
/** The late sweep is over by then. */
const AFTER_LATE_MS = 2 * LATE_MS
const RECIPE = { start: { urls: Object.keys(PAGES) }, extract: { fields: { title: 'h1' } } }

// A process that stood still no longer has the job when it wakes up, but it may still take the fence,
// and gives it back at once. The job is then the only one of its execution.
it('a worker that is overtaken keeps its job, as the other one may have none', async () => {
  const clock = createFakeClock()
  const inner = createMemoryStore({ clock })
  const records = createRecords(inner)
  let takesOver = true
  const store = through(inner, async (change) => {
    if (takesOver && change.set?.some(({ key }) => key[1] === 'visits')) {
      takesOver = false
      const execution = await records.executions.get(OWNER.account, id)
      const fence =
        execution &&
        (await Fence.take(records, OWNER.account, execution, {
          holder: 'awake',
          now: clock.now() + LEASE_MS,
          leaseMs: LEASE_MS,
          stillLeases: new StillLeases(LEASE_MS),
        }))
      if (!(fence instanceof Fence)) throw new Error('The fence was not taken')
      const release = new Change()
      fence.release(release)
      expect(await records.commit(release)).toBe(true)
    }
    return inner.commit(change)
  })
  const world = createWorld(PAGES, { clock, store })
  const id = await world.start(RECIPE)
  await world.work()
  expect(takesOver).toBe(false)
  expect(await world.read(id)).toMatchObject({ status: 'succeeded', counters: { fetched: 1 } })
})

// The sweep of the end has run when the bytes come, and the worker hears nothing of them.
it('rows whose answer was lost after the end of their execution leave no bytes', async () => {
  const clock = createFakeClock()
  const inner = createMemoryBlobs()
  let isLost = false
  const world = createWorld(PAGES, {
    clock,
    blobs: {
      ...inner,
      put: async (name, bytes) => {
        if (isLost) return inner.put(name, bytes)
        isLost = true
        await world.platform.api.executions.cancel(OWNER, id)
        await world.join().worker.tick()
        await inner.put(name, bytes)
        throw new Error('planned: the answer was lost')
      },
    },
  })
  const id = await world.start(RECIPE)
  await world.work()
  expect(await world.read(id)).toMatchObject({ status: 'cancelled' })
  await clock.advance(AFTER_LATE_MS)
  await world.work()
  expect(isLost).toBe(true)
  expect(await inner.list('')).toEqual([])
})

// The store has carried out neither write when it says that both have failed.
it.each(['rows', 'pages'] as const)(
  'bytes of %s that come long after their write has failed do not stay',
  async (kind) => {
    const clock = createFakeClock()
    const inner = createMemoryBlobs()
    const late: (() => Promise<void>)[] = []
    const world = createWorld(PAGES, {
      clock,
      blobs: {
        ...inner,
        put: async (name, bytes) => {
          if (late.length > 0 || name.endsWith('.jsonl') !== (kind === 'rows'))
            return inner.put(name, bytes)
          late.push(() => inner.put(name, bytes))
          throw new Error('planned: the answer was lost')
        },
      },
    })
    const id = await world.start({ ...RECIPE, ...(kind === 'pages' && { page: { keep: true } }) })
    await world.work()
    await clock.advance(60_000)
    await world.work()
    expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
    const names = await inner.list('')
    expect(late).toHaveLength(1)
    for (const write of late) await write()
    expect(await inner.list('')).toHaveLength(names.length + 1)
    await clock.advance(AFTER_LATE_MS)
    await world.work()
    expect(await inner.list('')).toEqual(names)
  },
)

// The worker has died, so that nobody hears of the bytes. They come after the sweep of the end.
it.each(['succeeded', 'cancelled', 'deleted'] as const)(
  'bytes that a dead worker wrote do not stay when its execution is %s before they come',
  async (end) => {
    const clock = createFakeClock()
    const inner = createMemoryBlobs()
    const store = createMemoryStore({ clock })
    const dying = Promise.withResolvers<() => Promise<void>>()
    let isDead = false
    const world = createWorld(PAGES, {
      clock,
      store,
      blobs: {
        ...inner,
        put: (name, bytes) => {
          if (isDead) return inner.put(name, bytes)
          isDead = true
          dying.resolve(() => inner.put(name, bytes))
          return new Promise(() => undefined)
        },
      },
    })
    const id = await world.start(RECIPE)
    // The dead worker does not renew its lease either.
    const dead = through(store, (change) =>
      isDead ? new Promise(() => undefined) : store.commit(change),
    )
    void world.join(dead).worker.tick()
    const writeLate = await dying.promise
    const { executions } = world.platform.api
    if (end === 'cancelled') await executions.cancel(OWNER, id)
    await clock.advance(2 * LEASE_MS)
    await world.work()
    const { status } = await executions.get(OWNER, id)
    expect(status).toBe(end === 'cancelled' ? 'cancelled' : 'succeeded')
    if (end === 'deleted') await executions.delete(OWNER, id)
    await clock.advance(60_000)
    await world.work()
    await writeLate()
    // Another worker has ended the run with rows. Their blob is erased some time after a deletion.
    const rows = end === 'succeeded' ? 1 : 0
    const erasedLater = end === 'deleted' ? 1 : 0
    expect(await inner.list('')).toHaveLength(1 + rows + erasedLater)
    await clock.advance(AFTER_LATE_MS)
    await world.work()
    expect(await inner.list('')).toHaveLength(rows)
  },
)

it('bytes that a worker wrote before it stood still do not stay when its execution has ended', async () => {
  const clock = createFakeClock()
  const inner = createMemoryBlobs()
  const store = createMemoryStore({ clock })
  const asleep = Promise.withResolvers<undefined>()
  const awake = Promise.withResolvers<undefined>()
  let isAsleep = false
  const world = createWorld(PAGES, {
    clock,
    store,
    blobs: {
      ...inner,
      put: async (name, bytes) => {
        if (isAsleep) return inner.put(name, bytes)
        isAsleep = true
        asleep.resolve(undefined)
        await awake.promise
        await inner.put(name, bytes)
      },
    },
  })
  const id = await world.start(RECIPE)
  const sleeping = through(store, async (change) => {
    if (isAsleep) await awake.promise
    return store.commit(change)
  })
  const worked = world.join(sleeping).worker.tick()
  await asleep.promise
  await clock.advance(2 * LEASE_MS)
  await world.work()
  expect(await world.read(id)).toMatchObject({ status: 'succeeded' })
  await clock.advance(AFTER_LATE_MS)
  await world.work()
  awake.resolve(undefined)
  await clock.runUntil(worked)
  expect(await inner.list('')).toHaveLength(1)
})
