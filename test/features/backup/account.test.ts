import { expect, test } from 'vitest'
import { restoreBackup, writeBackup } from '../../../src/backup.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { createWorld } from '../../support/worlds/world.ts'
import type { World } from '../../support/worlds/world.ts'
import { CANARY, other, own, PAGES, populated, rowsOf } from './account-world.ts'
import { sqliteFile } from './backup-world.ts'

// Proves that an account can be exported and imported elsewhere. That no byte of an erased account
// is left, is proven in erase-account.slow.test.ts.

test('an account moves to another deployment with all its data, and works there', async () => {
  const clock = createFakeClock()
  const { world, task, ownRun } = await populated(sqliteFile(clock).store, clock)
  const to = createMemoryBlobs()
  const report = await writeBackup({
    store: world.store,
    blobs: world.blobs,
    to,
    account: CANARY,
    clock,
  })
  expect(report.missing).toEqual([])
  expect(Buffer.from((await to.get('manifest.json')) ?? []).toString()).not.toContain('"other"')

  const target = { store: createMemoryStore({ clock }), blobs: createMemoryBlobs() }
  const moved = createWorld(PAGES, { clock, ...target, media: { maxBytes: 10_000 } })
  const elsewhere = await moved.platform.api.tasks.create(other, {
    name: 'here before',
    recipe: parseRecipe({ start: { urls: ['https://other.example.com/p'] } }),
  })
  expect(await restoreBackup({ ...target, from: to })).toMatchObject({ account: CANARY })
  const { api } = moved.platform
  expect((await api.tasks.get(own, task.id)).name).toBe(`${CANARY} task`)
  const titles = async (from: World) =>
    (await rowsOf(from, own, ownRun)).map(({ title }) => title).toSorted()
  expect(await titles(moved)).toEqual(await titles(world))
  const [item] = (await api.media.list(own, {})).items
  const link = await moved.platform.fetch(new Request(new URL(item?.url ?? '', 'http://localhost')))
  expect([link.status, (await link.arrayBuffer()).byteLength]).toEqual([200, 11])
  expect((await api.keys.list(own, {})).items.map(({ name }) => name)).toEqual([`${CANARY} key`])
  expect(await api.tasks.list(other, {})).toMatchObject({ items: [{ id: elsewhere.id }] })
  expect(await moved.platform.verify()).toMatchObject({ ok: true })
  // The job of the schedule was imported as well.
  await clock.advance(24 * 3_600_000)
  await moved.work()
  expect((await api.executions.list(own, {})).items).toHaveLength(2)
  expect(await moved.platform.verify()).toMatchObject({ ok: true })
  await expect(restoreBackup({ ...target, from: to })).rejects.toThrow(
    `There is an account ${CANARY} already`,
  )
})
