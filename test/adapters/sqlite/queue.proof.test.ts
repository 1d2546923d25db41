import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createStoreQueue } from '../../../src/defaults/store-queue.ts'
import { createRecords } from '../../../src/features/records.ts'
import { queueContract } from '../../contracts/queue.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

// Two connections to one file, like those of two processes.
queueContract('createStoreQueue on SQLite', async () => {
  const clock = createFakeClock()
  const path = join(folder, `${files++}.db`)
  const open = (seed: number) =>
    createStoreQueue({
      records: createRecords(createSqliteStore({ path, clock })),
      clock,
      random: seededRandom(seed),
    })
  return { queue: open(1), other: open(2), clock }
})
