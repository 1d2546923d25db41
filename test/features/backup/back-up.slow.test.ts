import { expect, test } from 'vitest'
import { restoreBackup, writeBackup } from '../../../src/backup.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { createWorld, OWNER } from '../../support/worlds/world.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { contentOf, copyOf, PAGES, RECIPE, SITE, sqliteFile } from './backup-world.ts'

// Proves that a backup shows one moment, although pages are fetched, tasks are made and blobs are
// deleted while it is written, and that a damaged backup is not restored.

async function backedUp() {
  const clock = createFakeClock()
  const world = createWorld(PAGES, { clock, store: sqliteFile(clock).store })
  const execution = await world.start(RECIPE)
  await world.work()
  const to = createMemoryBlobs()
  const report = await writeBackup({ store: world.store, blobs: world.blobs, to, clock })
  return { world, clock, execution, to, report }
}

test('a backup of a busy deployment is restored, verifies, and its run goes on', async () => {
  const clock = createFakeClock()
  const { store } = sqliteFile(clock)
  const blobs = createMemoryBlobs()
  const to = createMemoryBlobs()
  const web = createFakeWeb(PAGES)
  let backup: ReturnType<typeof writeBackup> | undefined
  const world = createWorld(PAGES, {
    clock,
    store,
    blobs,
    fetcher: {
      ...web,
      async send(request) {
        // This is in the middle of the run.
        if (request.url.pathname === '/p40') backup = writeBackup({ store, blobs, to, clock })
        return web.send(request)
      },
    },
  })
  // One page at a time, so that each page is a commit.
  const id = await world.start({ ...RECIPE, crawl: { delayMs: 500 } })
  const others = async (): Promise<void> => {
    for (let i = 0; i < 30; i++)
      await world.platform.api.tasks.create(OWNER, {
        name: `other ${i}`,
        recipe: parseRecipe(RECIPE),
      })
  }
  await Promise.all([world.work(), others()])
  expect((await world.read(id)).counters).toMatchObject({ fetched: 60 })
  const report = await backup
  expect(report).toMatchObject({ missing: [] })

  const target = { store: sqliteFile(clock).store, blobs: createMemoryBlobs() }
  expect(await restoreBackup({ ...target, from: to })).toMatchObject({
    account: null,
    records: report?.records,
    blobs: report?.blobs,
  })
  const restored = createWorld(PAGES, { clock, ...target })
  const { fetched } = (await restored.read(id)).counters
  expect(fetched).toBeGreaterThan(0)
  expect(fetched).toBeLessThan(60)
  expect(await restored.platform.verify()).toMatchObject({ ok: true })
  // The worker of the copied deployment is dead here: its lease ends.
  await clock.advance(60_000)
  await restored.work()
  expect(await restored.read(id)).toMatchObject({ status: 'succeeded', counters: { fetched: 60 } })
  expect((await restored.rows(id)).map(({ title }) => title).toSorted()).toEqual(
    Array.from({ length: 60 }, (_, i) => `Page ${i + 1}`).toSorted(),
  )
  expect(await restored.platform.verify()).toMatchObject({ ok: true })
})

test('data that is deleted while its blobs are copied is not in the backup, and no other data is missing', async () => {
  const { world, clock, execution } = await backedUp()
  const id = await world.start({ ...RECIPE, start: { urls: [`${SITE}/p1`] } })
  await world.work()
  let isDeleted = false
  const blobs: Blobs = {
    ...world.blobs,
    async get(name) {
      if (!isDeleted) {
        isDeleted = true
        await world.platform.api.executions.delete(OWNER, execution)
        await clock.advance(3_600_000)
        await world.work()
        expect(await world.blobs.list(`rows/${execution}/`)).toEqual([])
      }
      return world.blobs.get(name)
    },
  }
  const to = createMemoryBlobs()
  expect(await writeBackup({ store: world.store, blobs, to })).toMatchObject({ missing: [] })
  expect([...(await contentOf(to)).keys()].filter((name) => name.includes(execution))).toEqual([])

  const target = { store: sqliteFile(clock).store, blobs: createMemoryBlobs() }
  await restoreBackup({ ...target, from: to })
  const restored = createWorld(PAGES, { clock, ...target })
  expect(await restored.platform.verify()).toMatchObject({ ok: true })
  expect(await restored.rows(id)).toHaveLength(1)
})

test('every blob that a deployment has is named by a record', async () => {
  const clock = createFakeClock()
  const png = Uint8Array.from([137, 80, 78, 71, 13, 10, 26, 10, 0, 0, 0, 0])
  const web = Object.fromEntries(
    [0, 1, 2].map((i) => [
      `${SITE}/i${i}.png`,
      { headers: { 'content-type': 'image/png' }, body: Uint8Array.from([...png, i]) },
    ]),
  )
  const world = createWorld({ ...PAGES, ...web }, { clock, store: sqliteFile(clock).store })
  await world.start({
    ...RECIPE,
    extract: {
      fields: { title: 'h1', image: { css: 'img', attr: 'src', as: 'media' } },
    },
    page: { maxAgeSeconds: 3600, keep: true },
  })
  await world.work()
  const names = await world.blobs.list('')
  for (const part of [/^rows\/\w+\/[\w-]+\.jsonl/, /\/pages\//, /^media\//])
    expect(names.some((name) => part.test(name))).toBe(true)
  const to = createMemoryBlobs()
  expect(await writeBackup({ store: world.store, blobs: world.blobs, to })).toMatchObject({
    blobs: names.length,
    missing: [],
  })
})

test('a lost blob is reported, and the rest is in the backup', async () => {
  const { world } = await backedUp()
  const [lost = ''] = await world.blobs.list('rows/')
  await world.blobs.remove(lost)
  const to = createMemoryBlobs()
  const report = await writeBackup({ store: world.store, blobs: world.blobs, to })
  expect(report).toMatchObject({ missing: [lost] })
  const target = { store: createMemoryStore(), blobs: createMemoryBlobs() }
  expect(await restoreBackup({ ...target, from: to })).toMatchObject({ missing: [lost] })
})

test('a backup that is cut or damaged anywhere is refused, and nothing is written', async () => {
  const { to } = await backedUp()
  const files = await contentOf(to)
  expect(files.size).toBeGreaterThan(3)
  for (const [name, bytes] of files) {
    for (const change of ['gone', 'cut', 'changed', 'empty']) {
      const from = await copyOf(to)
      const other = new Uint8Array(bytes)
      other[bytes.length >> 1] = (other[bytes.length >> 1] ?? 0) ^ 1
      if (change === 'gone') await from.remove(name)
      if (change === 'cut') await from.put(name, bytes.slice(0, -5))
      if (change === 'changed') await from.put(name, other)
      if (change === 'empty') await from.put(name, new Uint8Array())
      const target = { store: createMemoryStore(), blobs: createMemoryBlobs() }
      await expect(restoreBackup({ ...target, from })).rejects.toThrow(
        /^The backup cannot be restored: .*Nothing was written; take another copy of it$/,
      )
      expect(await target.store.list({ prefix: [], limit: 1 })).toEqual([])
      expect(await target.blobs.list('')).toEqual([])
    }
  }
})

test('a backup of a later format is refused by its number', async () => {
  const { to } = await backedUp()
  const [, ...lines] = new TextDecoder()
    .decode((await to.get('manifest.json')) ?? undefined)
    .split('\n')
  const body = lines.join('\n').trimEnd().replace('"format": 1', '"format": 2')
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(body))
  await to.put(
    'manifest.json',
    new TextEncoder().encode(`${Buffer.from(digest).toString('hex')}\n${body}\n`),
  )
  const target = { store: createMemoryStore(), blobs: createMemoryBlobs() }
  await expect(restoreBackup({ ...target, from: to })).rejects.toThrow(
    'The backup has format 2; this version of Seine reads formats up to 1',
  )
})

test('a backup is not restored over existing data', async () => {
  const { world, to } = await backedUp()
  const { store, blobs } = world
  await expect(writeBackup({ store, blobs, to })).rejects.toThrow('not empty; name another one')
  await expect(restoreBackup({ store, blobs, from: to })).rejects.toThrow('The store is not empty')
  const used = createMemoryBlobs()
  await used.put('a', new Uint8Array())
  await expect(
    restoreBackup({ store: createMemoryStore(), blobs: used, from: to }),
  ).rejects.toThrow('The blobs are not empty')
  await expect(
    writeBackup({ store: createMemoryStore(), blobs, to: createMemoryBlobs() }),
  ).rejects.toThrow('SQLite in a file and Postgres have them')
})

test('an interrupted restore can be repeated with the same backup, and not with another one', async () => {
  const { world, clock, execution, to } = await backedUp()
  const store = createMemoryStore({ clock })
  const blobs = createMemoryBlobs()
  let puts = 0
  const failing: Blobs = {
    ...blobs,
    async put(name, bytes) {
      if (++puts === 2) throw new Error('The disk is full')
      await blobs.put(name, bytes)
    },
  }
  await expect(restoreBackup({ store, blobs: failing, from: to })).rejects.toThrow('disk is full')
  await world.start(RECIPE)
  const other = createMemoryBlobs()
  await writeBackup({ store: world.store, blobs: world.blobs, to: other, clock })
  await expect(restoreBackup({ store, blobs, from: other })).rejects.toThrow(
    'a part of another backup',
  )
  await restoreBackup({ store, blobs, from: to })
  const restored = createWorld(PAGES, { clock, store, blobs })
  expect(await restored.rows(execution)).toHaveLength(60)
  expect(await restored.platform.verify()).toMatchObject({ ok: true })
  await expect(restoreBackup({ store, blobs, from: to })).rejects.toThrow('The store is not empty')
})
