import { DatabaseSync } from 'node:sqlite'
import { createStorage } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import { expect, test } from 'vitest'
import { createD1Store } from '../../../adapters/cloudflare/index.ts'
import type { D1Database, D1Result, D1Statement } from '../../../adapters/cloudflare/index.ts'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { createRedisStore } from '../../../adapters/redis/index.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createUnstorageStore } from '../../../adapters/unstorage/index.ts'
import { sqliteFile } from '../../features/backup/backup-world.ts'

// Proves that a store of a later version is refused by the number of its layout, and not changed.
// A Durable Object prepares its tables as a SQLite file does.

test('a SQLite file of a later layout is refused, by D1 too, and is not changed', async () => {
  const { path, store } = sqliteFile()
  await store.commit({ set: [{ key: ['a'], value: 1 }] })
  const db = new DatabaseSync(path)
  db.exec(`UPDATE seine_meta SET value = 99 WHERE name = 'layout'`)
  expect(() => createSqliteStore({ path })).toThrow(
    'The database has layout 99; this version of Seine reads layout 2',
  )
  const d1 = createD1Store({ database: d1Of(db) })
  for (const call of [
    () => d1.get([['a']]),
    () => d1.list({ prefix: [], limit: 1 }),
    () => d1.commit({ delete: [['a']] }),
  ])
    await expect(call()).rejects.toThrow(
      'The database has layout 99; this version of Seine reads layout 2',
    )
  expect(db.prepare('SELECT count(*) AS n FROM seine_entries').get()).toEqual({ n: 1 })
  db.close()
})

test('D1 makes its tables, and migrates those of layout 1', async () => {
  const db = new DatabaseSync(':memory:')
  const first = createD1Store({ database: d1Of(db) })
  await first.commit({ set: [{ key: ['a'], value: 1 }] })
  db.exec(`DROP TABLE seine_parts; UPDATE seine_meta SET value = 1 WHERE name = 'layout'`)
  const store = createD1Store({ database: d1Of(db) })
  expect((await store.get([['a']]))[0]?.value).toBe(1)
  await store.commit({ set: [{ key: ['b'], value: 'x'.repeat(900_000) }] })
  expect(db.prepare(`SELECT value FROM seine_meta WHERE name = 'layout'`).get()).toEqual({
    value: 2,
  })
  expect(db.prepare('SELECT count(*) > 1 AS n FROM seine_parts').get()).toEqual({ n: 1 })
  db.close()
})

test('Redis keys of a later layout are refused, and keys of an earlier one get its number', async () => {
  const keys = new Map<string, string>()
  const client = {
    async call(command: string, [key = '', value = '']: string[]) {
      if (command === 'INFO') return 'maxmemory_policy:noeviction'
      if (command === 'HMGET') return [null]
      if (command === 'SET' && !keys.has(key)) keys.set(key, value)
      return keys.get(key) ?? null
    },
  }
  expect(await createRedisStore({ client }).get([['a']])).toEqual([null])
  expect([...keys]).toEqual([['{seine}:layout', '1']])
  keys.set('{seine}:layout', '99')
  await expect(createRedisStore({ client }).get([['a']])).rejects.toThrow(
    'The keys of this store have layout 99; this version of Seine reads layout 1',
  )
})

test('an unstorage storage of a later layout is refused', async () => {
  const storage = createStorage({ driver: memoryDriver() })
  const logger = { warn() {} }
  const store = createUnstorageStore({ storage, logger })
  await store.commit({ set: [{ key: ['a'], value: 1 }] })
  expect(Buffer.from((await storage.getItemRaw('layout')) ?? '').toString()).toBe('1')
  await storage.setItemRaw('layout', new TextEncoder().encode('99'))
  await expect(createUnstorageStore({ storage, logger }).get([['a']])).rejects.toThrow(
    'The storage has layout 99; this version of Seine reads layout 1',
  )
})

test('a Postgres schema of a later layout is refused before anything is written', async () => {
  const statements: string[] = []
  const client = {
    async query({ text }: { text: string }) {
      statements.push(text)
      return { rows: text.includes('to_regclass') ? [['true']] : [['99', '']] }
    },
  }
  await expect(createPostgresStore({ client }).get([['a']])).rejects.toThrow(
    'The schema has layout 99; this version of Seine knows layouts up to 1',
  )
  expect(statements).toHaveLength(2)
})

type Bound = string | number | null

/** A statement of a D1 database that is made of SQLite. */
class Statement implements D1Statement {
  readonly #sql: string
  readonly #values: readonly Bound[]

  constructor(sql: string, values: readonly Bound[] = []) {
    this.#sql = sql
    this.#values = values
  }

  bind(...values: Bound[]): Statement {
    return new Statement(this.#sql, values)
  }

  rows(db: DatabaseSync): D1Result {
    return { results: db.prepare(this.#sql).all(...this.#values) }
  }

  async all(): Promise<D1Result> {
    throw new Error('The store runs all in batches')
  }
}

/** A D1 database that is made of SQLite, with as much of D1 as the store needs. */
function d1Of(db: DatabaseSync): D1Database {
  return {
    prepare: (sql) => new Statement(sql),
    async batch(statements) {
      db.exec('BEGIN')
      try {
        const results = statements.flatMap((statement) =>
          statement instanceof Statement ? [statement.rows(db)] : [],
        )
        db.exec('COMMIT')
        return results
      } catch (error) {
        db.exec('ROLLBACK')
        throw error
      }
    },
  }
}
