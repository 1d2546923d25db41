import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { storeContract } from '../../contracts/store.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0

storeContract('createSqliteStore on a file', async () => {
  const clock = createFakeClock()
  const open = () => createSqliteStore({ path, clock })
  const path = join(folder, `${files++}.db`)
  return { store: open(), clock, reopen: async () => open() }
})

storeContract('createSqliteStore in memory', async () => {
  const clock = createFakeClock()
  return { store: createSqliteStore({ path: ':memory:', clock }), clock }
})
