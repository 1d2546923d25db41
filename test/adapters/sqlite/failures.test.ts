import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { SqliteStore } from '../../../adapters/common/sqlite/sqlite-store.ts'
import { StoreFile } from '../../../adapters/common/sqlite/failures.ts'
import { StoreFailure } from '../../../src/kernel/failures.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-failures-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a file that is no longer at its path', () => {
  it.for(['deleted', 'replaced'])(
    'was %s: a commit writes nothing, and fails with the reason',
    async (how) => {
      const path = join(folder, `${how}.db`)
      const store = createSqliteStore({ path })
      expect(await store.commit({ set: [{ key: ['a', 'x'], value: 1 }] })).toBe(true)
      for (const end of ['', '-wal', '-shm']) rmSync(path + end)
      if (how === 'replaced') await createSqliteStore({ path }).close()
      await expect(store.commit({ set: [{ key: ['a', 'y'], value: 2 }] })).rejects.toMatchObject({
        name: 'StoreFailure',
        reason: 'replaced',
      })
      await store.close()
    },
  )
})

describe('pages of the file that are damaged', () => {
  it('fail reads and writes of what is in them, with the reason', async () => {
    const path = join(folder, 'damaged.db')
    const first = createSqliteStore({ path })
    const value = 'x'.repeat(2_000)
    for (let i = 0; i < 200; i++) await first.commit({ set: [{ key: ['a', i], value }] })
    await first.close()
    const bytes = readFileSync(path)
    // The first pages have the layout. Those of the entries follow.
    bytes.fill(0xff, 14 * 4_096)
    writeFileSync(path, bytes)
    const store = createSqliteStore({ path })
    const damaged = { name: 'StoreFailure', reason: 'damaged' }
    await expect(store.list({ prefix: ['a'], limit: 200 })).rejects.toMatchObject(damaged)
    await expect(store.commit({ set: [{ key: ['a', 150], value: 1 }] })).rejects.toMatchObject(
      damaged,
    )
    await store.close()
  })
})

describe('a file that cannot be written', () => {
  it('is read-only: a commit fails with the reason, reading goes on, and so do commits later', async () => {
    let db: DatabaseSync | undefined
    const store = new SqliteStore((path) => (db = new DatabaseSync(path)), {
      path: join(folder, 'readonly.db'),
    })
    const set = (value: number) => store.commit({ set: [{ key: ['a', 'x'], value }] })
    await set(1)
    db?.exec('PRAGMA query_only = 1')
    await expect(set(2)).rejects.toMatchObject({ name: 'StoreFailure', reason: 'readonly' })
    expect((await store.get([['a', 'x']]))[0]?.value).toBe(1)
    db?.exec('PRAGMA query_only = 0')
    expect(await set(3)).toBe(true)
    await store.close()
  })

  it.for([
    [778, 'failing'], // IOERR_WRITE
    [266, 'failing'], // IOERR_READ
    [14, 'unreachable'], // CANTOPEN
    [5, 'unreachable'], // BUSY
  ] as const)('has the reason of the code %i: %s', ([errcode, reason]) => {
    const path = join(folder, 'codes.db')
    writeFileSync(path, '')
    const error = Object.assign(new Error('disk I/O error'), { errcode })
    expect(new StoreFile(path).failureOf(error)).toMatchObject({ reason, cause: error })
  })
})

describe('a full disk', () => {
  it('refuses writes and allows reads, and writes succeed again when there is room', async () => {
    let db: DatabaseSync | undefined
    const store = new SqliteStore((path) => (db = new DatabaseSync(path)), {
      path: join(folder, 'full.db'),
    })
    await store.commit({ set: [{ key: ['a', 'x'], value: 'here' }] })
    const pages = (most: number) => db?.exec(`PRAGMA max_page_count = ${most}`)
    pages(1)
    const large = 'x'.repeat(100_000)
    // Many commits at once, like those of callers that try again without a pause.
    const refused = await Promise.allSettled(
      Array.from({ length: 50 }, (_, i) =>
        store.commit({ set: [{ key: ['a', String(i)], value: large }] }),
      ),
    )
    for (const result of refused)
      expect(result).toMatchObject({ status: 'rejected', reason: { reason: 'full' } })
    expect((await store.get([['a', 'x']]))[0]?.value).toBe('here')
    pages(1_000_000)
    expect(await store.commit({ set: [{ key: ['a', 'y'], value: large }] })).toBe(true)
    await store.close()
  })

  it('lets other work go on between two tries', async () => {
    let db: DatabaseSync | undefined
    const store = new SqliteStore((path) => (db = new DatabaseSync(path)), {
      path: join(folder, 'loop.db'),
    })
    await store.commit({ set: [{ key: ['a', 'x'], value: 1 }] })
    db?.exec('PRAGMA max_page_count = 1')
    const value = 'x'.repeat(100_000)
    let tries = 0
    const end = new AbortController()
    // A caller that tries without a pause.
    const loop = (async () => {
      while (!end.signal.aborted) {
        tries++
        await store.commit({ set: [{ key: ['a', 'y'], value }] }).catch((error: unknown) => {
          if (!(error instanceof StoreFailure)) throw error
        })
      }
    })()
    const turns = 5
    for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
    end.abort()
    await loop
    expect(tries).toBeLessThanOrEqual(turns)
    await store.close()
  })
})
