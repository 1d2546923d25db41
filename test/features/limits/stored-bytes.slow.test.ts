import { describe, expect, it } from 'vitest'
import { countStored, openBase, storedBytes } from '../../../src/features/limits/stored-bytes.ts'
import type { Json } from '../../../src/kernel/json.ts'
import { visitBytes } from '../../../src/features/executions/page-visit.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { pngOf } from '../../support/fakes/image-bytes.ts'
import { OWNER, createWorld } from '../../support/worlds/world.ts'

const URL = 'https://shop.example.com/'
const recipe = {
  start: { urls: [URL] },
  extract: { fields: { title: 'h1' } },
  page: { keep: true },
}
const DAY = 86_400_000

function open(bytes: number | null, retentionDays?: number) {
  const plan = {
    id: 'small',
    name: 'Small',
    creditsPerMonth: 0,
    overdraft: null,
    caps: { bytes },
    ...(retentionDays && { retentionDays }),
  }
  const world = createWorld(
    {
      [URL]: '<div class=card><h1>x</h1></div><a href=/empty>more</a><img src=/a.png>',
      [`${URL}empty`]: '<p>nothing</p>',
      [`${URL}a.png`]: { headers: { 'content-type': 'image/png' }, body: pngOf(64, 48) },
    },
    { clock: createFakeClock(), billing: { plans: [plan] } },
  )
  return {
    world,
    records: createRecords(world.store),
    run: async (ownRecipe: Json = recipe) => {
      const id = await world.start(ownRecipe)
      await world.work()
      return id
    },
  }
}
type Opened = ReturnType<typeof open>

/** The real bytes of the blobs. */
async function bytesIn({ world }: Opened, folder: string): Promise<number> {
  let bytes = 0
  for (const name of await world.blobs.list(folder))
    bytes += (await world.blobs.get(name))?.length ?? 0
  return bytes
}
/** The real bytes of how a run's pages were asked for. */
async function inTrails({ records }: Opened, id: string): Promise<number> {
  const visits = await records.visits.list('acme', { within: [id], limit: 100 })
  return visits.reduce((sum, { value }) => sum + visitBytes(value), 0)
}
const inStore = async (opened: Opened, id: string): Promise<number> =>
  (await bytesIn(opened, `rows/${id}/`)) + (await inTrails(opened, id))

/** Changes counters to the form of an earlier version. */
async function asBefore({ records }: Opened, id: string): Promise<void> {
  const progress = await records.progress.get('acme', id)
  if (!progress) throw new Error('no such execution')
  const { rowBytes: _rows, visitBytes: _visits, countedStored = 0, ...before } = progress.value
  const change = new Change()
  records.progress.put(change, 'acme', before)
  records.storedBytes.add(change, 'acme', -countedStored)
  await records.commit(change)
}
const differences = async ({ world }: Opened) =>
  (await world.platform.verify()).differences.filter(({ area }) => area === 'holdings')

describe('the bytes of an account', () => {
  it('are the bytes of the rows, visits and kept pages of its executions', async () => {
    const opened = open(null)
    const [first, second] = [await opened.run(), await opened.run()]
    const there = (await inStore(opened, first)) + (await inStore(opened, second))
    expect(await inTrails(opened, first)).toBeGreaterThan(50)
    expect(await storedBytes(opened.records, 'acme')).toBe(there)
    expect(await differences(opened)).toEqual([])
  })

  it.each([
    ['rows', {}, 'rows'],
    ['kept pages', { page: { keep: true } }, 'rows'],
    ['media', { extract: { fields: { image: { css: 'img', as: 'media' } } } }, 'media'],
  ])('include those of %s', async (what, more, folder) => {
    const opened = open(null)
    const id = await opened.run({
      start: { urls: [URL] },
      extract: { fields: { title: 'h1' } },
      ...more,
    })
    const {
      rowBytes = 0,
      kept,
      media,
    } = (await opened.records.progress.get('acme', id))?.value ?? {}
    const parts: Readonly<Record<string, number | undefined>> = {
      rows: rowBytes,
      'kept pages': kept?.bytes,
      media: media?.bytes,
    }
    expect(parts[what]).toBeGreaterThan(0)
    const inFolder = await bytesIn(opened, folder === 'media' ? 'media/' : `rows/${id}/`)
    expect(await storedBytes(opened.records, 'acme')).toBe(
      (folder === 'media' ? rowBytes : 0) + inFolder + (await inTrails(opened, id)),
    )
  })

  it('are counted once if later commits store nothing, whenever older bytes are counted', async () => {
    const opened = open(null)
    const id = await opened.run({
      start: { urls: [URL] },
      extract: { items: '.card', fields: { title: 'h1' } },
      follow: [{ links: 'a', as: 'empty' }],
    })
    const progress = (await opened.records.progress.get('acme', id))?.value
    expect(progress).toMatchObject({ visited: 2, settled: 2, segments: 1 })
    expect(await opened.records.storedBases.get('acme', 'blobs')).toBeNull()
    expect(await differences(opened)).toEqual([])
    expect(await storedBytes(opened.records, 'acme')).toBe(await inStore(opened, id))
    // Each visit has stored something, so this commit is made here.
    if (!progress) throw new Error('no such execution')
    expect(countStored(opened.records, new Change(), 'acme', progress, progress)).toEqual(progress)
  })

  it('have a cap, above which no execution starts', async () => {
    const opened = open(1)
    const first = await opened.run()
    const used = await inStore(opened, first)
    await expect(opened.world.start(recipe)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining(
        `has ${used} bytes of rows, pages, media and datasets, and may have 1: delete some`,
      ),
    })
  })

  it('are subtracted when executions are deleted', async () => {
    const opened = open(null, 1)
    await opened.run()
    await opened.world.clock.advance(3 * DAY)
    await opened.world.work()
    expect((await opened.records.executions.list('acme', { limit: 1 })).length).toBe(0)
    expect(await storedBytes(opened.records, 'acme')).toBe(0)
    expect(await differences(opened)).toEqual([])
  })

  it('of earlier versions are counted once, as far as counters have them, and subtracted as well', async () => {
    const opened = open(null, 1)
    const old = await opened.run()
    await asBefore(opened, old)
    const keptBytes = (await opened.records.progress.get('acme', old))?.value.kept?.bytes ?? 0
    expect(keptBytes).toBeGreaterThan(0)
    await opened.world.clock.advance(DAY / 2)
    const young = await inStore(opened, await opened.run())
    expect(await storedBytes(opened.records, 'acme')).toBe(keptBytes + young)
    expect(await differences(opened)).toEqual([])
    await opened.world.clock.advance(DAY * 0.75)
    await opened.world.work()
    const left = (await opened.records.executions.list('acme', { limit: 5 })).length
    expect(await storedBytes(opened.records, 'acme')).toBe(left === 0 ? 0 : young)
    expect(await differences(opened)).toEqual([])
  })
})

describe('verify', () => {
  it('counts keys, tasks, datasets, webhooks and bytes anew, and corrects counts on demand', async () => {
    const opened = open(null)
    const { world, records } = opened
    const { api } = world.platform
    await opened.run()
    await openBase(records, 'acme')
    await api.tasks.create(OWNER, { recipe })
    await api.keys.create(OWNER, { name: 'k', scopes: ['*'] })
    await api.datasets.create(OWNER, { name: 'd', keyFields: ['title'] })
    await api.webhooks.create(OWNER, { url: 'https://hooks.example.com/in', events: ['*'] })
    expect(await differences(opened)).toEqual([])
    const change = new Change()
    for (const kind of ['keys', 'tasks', 'datasets'] as const) {
      const stored = await records.holdings.get('acme', kind)
      if (stored) records.holdings.update(change, 'acme', stored, { kind, count: 7 })
    }
    records.webhookLists.put(change, 'acme', { ids: [] })
    records.storedBytes.add(change, 'acme', 5)
    await records.commit(change)
    expect((await differences(opened)).map(({ subject, repaired }) => [subject, repaired])).toEqual(
      [
        ['keys', false],
        ['tasks', false],
        ['datasets', false],
        ['webhooks', false],
        ['bytes', false],
      ],
    )
    await world.platform.verify({ repair: true })
    expect((await differences(opened)).map(({ subject }) => subject)).toEqual(['bytes'])
  })
})
