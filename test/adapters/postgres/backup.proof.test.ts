import { expect, test } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { restoreBackup, writeBackup } from '../../../src/backup.ts'
import { createMemoryBlobs } from '../../../src/defaults/memory-blobs.ts'
import { parseRecipe } from '../../../src/engine/recipe/parse-recipe.ts'
import { createPlatform } from '../../../src/platform/platform.ts'
import type { Platform } from '../../../src/platform/options.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Store } from '../../../src/ports/store.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { createFakeWeb } from '../../support/fakes/fake-web.ts'
import { OWNER } from '../../support/worlds/world.ts'
import { PAGES, RECIPE, sqliteFile } from '../../features/backup/backup-world.ts'

const { sql, schema } = await openPostgres()
const silent = { debug() {}, info() {}, warn() {}, error() {} }
const join = (store: Store, blobs: Blobs): Platform =>
  createPlatform({ store, blobs, fetcher: createFakeWeb(PAGES), logger: silent, rateLimits: false })

/** Runs the recipe to its end. */
async function run(platform: Platform): Promise<string> {
  const task = await platform.api.tasks.create(OWNER, {
    name: 'x',
    recipe: parseRecipe({ ...RECIPE, crawl: { delayMs: 0 } }),
  })
  const { id } = await platform.api.executions.start(OWNER, task.id)
  await platform.worker.tick()
  return id
}

test('a Postgres that others write to is backed up, and restored to Postgres or SQLite', async () => {
  const name = schema()
  const open = () => createPostgresStore({ client: sql, schema: name })
  const store = open()
  const blobs = createMemoryBlobs()
  const first = join(store, blobs)
  const done = await run(first)
  // Runs are started, continued and deleted while backups are made.
  const other = join(open(), blobs)
  const turn = { writes: 0, isOver: false }
  const write = async (): Promise<void> => {
    while (!turn.isOver) {
      await other.api.executions.delete(OWNER, await run(other))
      turn.writes++
    }
  }
  const backUpTwice = async () => {
    const backups = [createMemoryBlobs(), createMemoryBlobs()]
    for (const to of backups) {
      const { writes } = turn
      expect(await writeBackup({ store, blobs, to })).toMatchObject({ missing: [] })
      await expect.poll(() => turn.writes, { interval: 20 }).toBeGreaterThan(writes)
    }
    turn.isOver = true
    return backups
  }
  const [backups] = await Promise.all([backUpTwice(), write()])
  for (const from of backups) {
    for (const target of [
      createPostgresStore({ client: sql, schema: schema() }),
      sqliteFile().store,
    ]) {
      const into = createMemoryBlobs()
      await restoreBackup({ store: target, blobs: into, from })
      const restored = join(target, into)
      expect((await restored.api.results.list(OWNER, done, { limit: 100 })).items).toHaveLength(60)
      expect(await restored.verify()).toMatchObject({ ok: true })
      await restored.worker.tick()
      expect(await restored.verify()).toMatchObject({ ok: true })
    }
  }
})
