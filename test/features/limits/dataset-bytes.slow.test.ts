import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { storedBytes } from '../../../src/features/limits/stored-bytes.ts'
import { createRecords } from '../../../src/features/records.ts'
import type { Store } from '../../../src/ports/store.ts'
import { Change } from '../../../src/records/change.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { through } from '../../support/stores/fault-store.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const SITE = 'https://shop.example.com'
const PAGES = 12
const DAY = 86_400_000
const ACCOUNT = OWNER.account

/** A row that is much shorter than its item and its change together. */
const pageOf = (index: number, price: number) =>
  `<b>sku-${index}</b><i>${price}</i><p>${`Écrit ${index} `.repeat(200)}</p>`

interface Settings {
  readonly bytes?: number | null
  readonly dataset?: object
  readonly spoil?: (store: Store) => Store
}

/** A shop with a page for each thing, and a task that gives its rows to a dataset. */
async function open({ bytes = null, dataset = {}, spoil = (store) => store }: Settings = {}) {
  const clock = createFakeClock()
  const shop = { price: 1, status: 200 }
  const base = createMemoryStore({ clock })
  const plan = { id: 'small', name: 'Small', creditsPerMonth: 0, overdraft: null, caps: { bytes } }
  const world = createWorld(
    Object.fromEntries(
      Array.from({ length: PAGES }, (_, i) => [
        `${SITE}/p/${i}`,
        () => ({ status: shop.status, body: pageOf(i, shop.price) }),
      ]),
    ),
    { clock, store: spoil(base), billing: { plans: [plan] } },
  )
  const { tasks, executions, datasets } = world.platform.api
  const { id } = await datasets.create(OWNER, { name: 'Shop', keyFields: ['sku'], ...dataset })
  const task = await tasks.create(OWNER, {
    name: 'shop',
    recipe: {
      start: { urls: Array.from({ length: PAGES }, (_, i) => `${SITE}/p/${i}`) },
      // One page at a time, and each is committed alone.
      crawl: { concurrency: 1, delayMs: 1_000 },
      extract: { fields: { sku: 'b', price: { css: 'i', as: 'number' }, text: 'p' } },
    },
    datasetId: id,
  })
  const records = createRecords(base)
  const work = async () => {
    await world.work()
    await clock.advance(1_000)
    await world.work()
  }
  const itemsAndChanges = async () => [
    ...(await records.items.list(ACCOUNT, { limit: 1_000 })),
    ...(await records.itemChanges.list(ACCOUNT, { limit: 1_000 })),
  ]
  return {
    ...world,
    shop,
    id,
    records,
    datasets,
    executions,
    task,
    work,
    itemsAndChanges,
    async run() {
      const execution = await executions.start(OWNER, task.id)
      await work()
      return executions.get(OWNER, execution.id)
    },
    held: () => storedBytes(records, ACCOUNT),
    runBytes: async () =>
      (await records.progress.list(ACCOUNT, { limit: 100 })).reduce(
        (sum, { value }) => sum + (value.rowBytes ?? 0) + (value.visitBytes ?? 0),
        0,
      ),
    /** The items and changes in the store. */
    stored: async () =>
      (await itemsAndChanges()).reduce(
        (sum, { value }) =>
          sum + Buffer.byteLength(JSON.stringify({ ...value, bytes: undefined }), 'utf8'),
        0,
      ),
    faults: async () => (await world.platform.verify()).differences,
  }
}
type Opened = Awaited<ReturnType<typeof open>>

async function expectExact({ held, runBytes, stored, faults }: Opened): Promise<void> {
  expect(await held()).toBe((await runBytes()) + (await stored()))
  expect(await faults()).toEqual([])
}

describe('the bytes of a dataset', () => {
  it('are those of its items and changes, after each kind of change', async () => {
    const opened = await open({ dataset: { gone: 'always' } })
    const { shop, run, stored } = opened
    await run()
    await expectExact(opened)
    const first = await stored()
    expect(first).toBeGreaterThan(PAGES * 2 * 2_000)
    await run()
    expect(await stored()).toBe(first)
    await expectExact(opened)
    shop.price = 1_234_567
    await run()
    expect(await stored()).toBeGreaterThan(first)
    await expectExact(opened)
    await opened.platform.api.tasks.update(OWNER, opened.task.id, {
      recipe: { ...opened.task.recipe, start: { urls: [`${SITE}/p/0`] } },
    })
    await run()
    expect((await opened.datasets.get(OWNER, opened.id)).counters.gone).toBe(PAGES - 1)
    await expectExact(opened)
  })

  it('are given back by retention, and by the deletion of the dataset', async () => {
    const opened = await open()
    const { datasets, id, run, clock, work, shop, stored, platform, task } = opened
    await run()
    shop.price = 2
    await run()
    const before = await stored()
    await datasets.update(OWNER, id, { retention: { changesDays: 1 } })
    await clock.advance(2 * DAY)
    await work()
    expect(await stored()).toBeLessThan(before)
    await expectExact(opened)
    await platform.api.tasks.update(OWNER, task.id, { datasetId: null })
    await datasets.delete(OWNER, id)
    await work()
    expect(await stored()).toBe(0)
    await expectExact(opened)
  })

  it('of earlier versions count when items are next written, and give back no more', async () => {
    const opened = await open()
    const { records, run, shop, held, runBytes, itemsAndChanges, platform, task, datasets } = opened
    await run()
    const change = new Change()
    for (const { value } of await records.items.list(ACCOUNT, { limit: 100 })) {
      const { bytes = 0, ...item } = value
      change.set(records.items.key(ACCOUNT, [item.dataset, item.key]), item)
      records.storedBytes.add(change, ACCOUNT, -bytes)
    }
    for (const { value } of await records.itemChanges.list(ACCOUNT, { limit: 100 })) {
      const { bytes = 0, ...one } = value
      records.itemChanges.put(change, ACCOUNT, one)
      records.storedBytes.add(change, ACCOUNT, -bytes)
    }
    await records.commit(change)
    expect(await held()).toBe(await runBytes())
    expect(await opened.faults()).toEqual([])
    shop.price = 2
    await run()
    const counted = (await itemsAndChanges()).filter(({ value }) => value.bytes !== undefined)
    expect(counted).toHaveLength(2 * PAGES)
    expect(await opened.faults()).toEqual([])
    await platform.api.tasks.update(OWNER, task.id, { datasetId: null })
    await datasets.delete(OWNER, opened.id)
    await opened.work()
    expect(await held()).toBe(await runBytes())
    expect(await opened.faults()).toEqual([])
  })
})

/** All that a whole run stores, and what its rows are of it. */
async function weighRun() {
  const opened = await open()
  await opened.run()
  return { all: await opened.held(), rows: await opened.runBytes() }
}

describe('a run that feeds a dataset', () => {
  it('ends at the cap by what its rows will add to the dataset, and loses none', async () => {
    const { all, rows } = await weighRun()
    const most = Math.floor(all * 0.6)
    expect(rows).toBeLessThan(most * 0.6)
    const opened = await open({ bytes: most })
    const { counters, ...execution } = await opened.run()
    expect(execution).toMatchObject({
      status: 'succeeded',
      reason: { code: 'bytes_limit' },
      cost: { credits: counters.fetched },
    })
    expect(counters.fetched).toBeGreaterThan(PAGES / 2)
    expect(counters.fetched).toBeLessThan(PAGES)
    expect(await opened.rows(execution.id)).toHaveLength(counters.fetched)
    expect((await opened.datasets.get(OWNER, opened.id)).counters).toMatchObject({
      present: counters.fetched,
      changes: counters.fetched,
    })
    // It is exceeded by the last page at most.
    expect(await opened.held()).toBeGreaterThanOrEqual(most)
    expect(await opened.held()).toBeLessThan(most + all / PAGES + 100)
    await expectExact(opened)
    await expect(opened.executions.start(OWNER, opened.task.id)).rejects.toMatchObject({
      code: 'CONFLICT',
    })
  })

  it('needs no room for rows that the dataset has already', async () => {
    const { all, rows } = await weighRun()
    const opened = await open({ bytes: all + rows + 1_000 })
    await opened.run()
    expect(await opened.run()).toMatchObject({ reason: null, counters: { fetched: PAGES } })
    await expectExact(opened)
  })

  it('counts ahead just what its merge counts, which is given back as it is merged', async () => {
    const ahead: number[] = []
    const opened = await open({
      spoil: (store) =>
        through(store, (change) => {
          for (const { key, value } of change.set ?? [])
            if (key[1] === 'progress' && typeof value === 'object' && value !== null)
              ahead.push(Number(Reflect.get(value, 'mergeBytes') ?? 0))
          return store.commit(change)
        }),
    })
    await opened.run()
    // The sequence numbers of changes may have another digit.
    expect(Math.abs(Math.max(...ahead) - (await opened.stored()))).toBeLessThan(PAGES)
    expect(ahead.at(-1)).toBe(0)
    await expectExact(opened)
  })

  it.each([
    ['fails, so that its rows are not merged', (opened: Opened) => void (opened.shop.status = 500)],
    [
      'ends when its dataset is deleted',
      async ({ platform, task, datasets, id }: Opened) => {
        await platform.api.tasks.update(OWNER, task.id, { datasetId: null })
        await datasets.delete(OWNER, id)
      },
    ],
  ])('gives back what it counted ahead if it %s', async (_what, happen) => {
    const opened = await open()
    const { clock, executions, task, platform, records } = opened
    const { id } = await executions.start(OWNER, task.id)
    const working = platform.worker.tick()
    await clock.advance(3_500)
    expect((await records.progress.get(ACCOUNT, id))?.value.mergeBytes).toBeGreaterThan(0)
    await happen(opened)
    if (opened.shop.status === 500) await executions.cancel(OWNER, id)
    await clock.runUntil(working)
    await opened.work()
    expect(await opened.stored()).toBe(0)
    await expectExact(opened)
  })
})
