import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { describeSqliteCrowd } from '../../support/stores/sqlite-crowd.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const writer = [
  process.execPath,
  '--no-warnings',
  fileURLToPath(new URL('./writer.ts', import.meta.url)),
]
const crowd = describeSqliteCrowd('createSqliteStore on a file', {
  open: (path) => createSqliteStore({ path }),
  writers: [writer, writer, writer, writer],
})
afterAll(() => crowd.close())

it('a commit waits while another connection locks the file, and reads go on meanwhile', async () => {
  const path = join(folder, 'held.db')
  const store = createSqliteStore({ path })
  const other = new DatabaseSync(path)
  other.exec('BEGIN IMMEDIATE')
  const writes = Promise.all([
    store.commit({ set: [{ key: ['late', 1], value: 1 }] }),
    store.commit({
      check: [{ key: ['late', 1], version: null }],
      set: [{ key: ['late', 2], value: 2 }],
    }),
  ])
  expect(await store.get([['late', 1]])).toEqual([null])
  await new Promise(setImmediate)
  const third = store.commit({ set: [{ key: ['late', 3], value: 3 }] })
  other.exec('COMMIT')
  other.close()
  expect(await writes).toEqual([true, false])
  expect(await third).toBe(true)
  expect((await store.list({ prefix: ['late'], limit: 9 })).map((entry) => entry.value)).toEqual([
    1, 3,
  ])
  await store.close()
})
