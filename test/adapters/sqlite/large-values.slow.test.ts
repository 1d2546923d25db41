import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import type { Commit, Store } from '../../../src/ports/store.ts'

// Large values are in a table beside the entries, so that a read of one key never reads the value of another.

const folder = mkdtempSync(join(tmpdir(), 'seine-large-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const LARGE = 'é🎣x'.repeat(300_000)
const key = (name: string) => ['acme', 'tasks', name]

function set(name: string, value: unknown, expiresAt?: number): Commit {
  return { set: [{ key: key(name), value, ...(expiresAt !== undefined && { expiresAt }) }] }
}

/** Whether a key has this value. The values are not compared by expect, which would print them. */
async function has(store: Store, name: string, value: string): Promise<boolean> {
  const [entry] = await store.get([key(name)])
  return entry?.value === value
}

/** The rows of an operator's query, as lists. */
function ask(path: string, sql: string): unknown[][] {
  const db = new DatabaseSync(path)
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row))
  } finally {
    db.close()
  }
}

const SIZES = `SELECT
  (SELECT max(octet_length(value)) FROM seine_entries) < 10000,
  (SELECT count(DISTINCT key) FROM seine_parts),
  (SELECT sum(octet_length(text)) FROM seine_parts) > 1000000`

describe('large values', () => {
  it('are read whole, and shown whole by the views', async () => {
    const path = join(folder, 'whole.db')
    const store = createSqliteStore({ path })
    await store.commit(set('a', { id: 'a', name: 'Small' }))
    await store.commit(set('b', { id: 'b', name: 'Large', recipe: LARGE }))
    await store.commit(set('c', LARGE))
    expect(await has(store, 'c', LARGE)).toBe(true)
    const listed = await store.list({ prefix: ['acme', 'tasks'], limit: 10 })
    expect(
      listed.map(({ key: [, , name], value }) => [name, JSON.stringify(value).length]),
    ).toEqual([
      ['a', 25],
      ['b', LARGE.length + 37],
      ['c', LARGE.length + 2],
    ])
    await store.close()
    expect(ask(path, SIZES)).toEqual([[1, 2, 1]])
    expect(ask(path, 'SELECT id, name FROM seine_tasks WHERE id IS NOT NULL ORDER BY id')).toEqual([
      ['a', 'Small'],
      ['b', 'Large'],
    ])
  })

  it('leave nothing behind when they are replaced, deleted or expired', async () => {
    const path = join(folder, 'gone.db')
    let now = 1_000
    const store = createSqliteStore({ path, clock: { now: () => now } })
    for (const name of ['replaced', 'kept', 'deleted']) await store.commit(set(name, LARGE))
    await store.commit(set('expired', LARGE, 2_000))
    await store.commit(set('replaced', 'small'))
    await store.commit(set('kept', `${LARGE}!`))
    await store.commit({ delete: [key('deleted')] })
    now = 5_000
    await store.commit(set('later', 1))
    expect(await has(store, 'kept', `${LARGE}!`)).toBe(true)
    await store.close()
    expect(ask(path, 'SELECT DISTINCT key FROM seine_parts')).toHaveLength(1)
  })

  it('of a file of the first layout are read, and move to the other table when they are written', async () => {
    const path = join(folder, 'first.db')
    await createSqliteStore({ path }).close()
    const inline = JSON.stringify(LARGE)
    const db = new DatabaseSync(path)
    const encoded = await encodedKey('old')
    db.exec(`DROP TABLE seine_parts; DROP TRIGGER seine_parts_update;
      DROP TRIGGER seine_parts_delete;
      UPDATE seine_meta SET value = 1 WHERE name = 'layout'`)
    db.prepare(`INSERT INTO seine_entries VALUES (?, 'tasks', ?, 1, NULL)`).run(encoded, inline)
    db.close()
    const store = createSqliteStore({ path })
    expect(await has(store, 'old', LARGE)).toBe(true)
    await store.commit(set('old', `${LARGE}!`))
    expect(await has(store, 'old', `${LARGE}!`)).toBe(true)
    await store.close()
    expect(ask(path, SIZES)).toEqual([[1, 1, 1]])
  })
})

/** The text that the store has for a key. */
async function encodedKey(name: string): Promise<string> {
  const path = join(folder, 'key.db')
  const store = createSqliteStore({ path })
  await store.commit(set(name, 1))
  await store.close()
  return String(ask(path, 'SELECT key FROM seine_entries')[0]?.[0])
}
