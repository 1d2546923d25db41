import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { Change } from '../../../src/records/change.ts'
import { createRecords } from '../../../src/features/records.ts'
import { inspect } from '../../../src/features/verify/inspect.ts'
import { createFakeClock } from '../../support/fakes/fake-clock.ts'

const folder = mkdtempSync(join(tmpdir(), 'seine-sqlite-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One column of a query on the file, as an operator asks it. */
function ask(path: string, sql: string): unknown[] {
  const db = new DatabaseSync(path)
  try {
    return db
      .prepare(sql)
      .all()
      .map((row) => ({ ...row }))
  } finally {
    db.close()
  }
}

describe('the file', () => {
  it('shows records to an operator through views', async () => {
    const path = join(folder, 'views.db')
    const store = createSqliteStore({ path })
    const records = createRecords(store)
    const change = new Change()
    const index = Date.UTC(2026, 0, 2, 3, 4, 5, 678)
    records.tasks.insert(change, 'acme', {
      id: 't1',
      name: "O'Hara",
      description: '',
      labels: ['x', 'y'],
      status: 'active',
      recipe: { start: {} },
      createdAt: index,
      updatedAt: index,
    })
    records.executions.insert(change, 'acme', {
      id: 'e1',
      taskId: 't1',
      recipe: {},
      status: 'failed',
      reason: { code: 'no_page', message: 'No page was fetched' },
      retryOf: null,
      createdAt: index,
      startedAt: null,
      finishedAt: index,
      updatedAt: index,
    })
    await records.commit(change)
    await store.close()
    expect(ask(path, 'SELECT * FROM seine_tasks')).toEqual([
      {
        account: 'acme',
        id: 't1',
        name: "O'Hara",
        status: 'active',
        labels: '["x","y"]',
        created_at: '2026-01-02 03:04:05.678',
        updated_at: '2026-01-02 03:04:05.678',
      },
    ])
    expect(
      ask(
        path,
        'SELECT account, id, task_id, status, reason_code, started_at, finished_at FROM seine_executions',
      ),
    ).toEqual([
      {
        account: 'acme',
        id: 'e1',
        task_id: 't1',
        status: 'failed',
        reason_code: 'no_page',
        started_at: null,
        finished_at: '2026-01-02 03:04:05.678',
      },
    ])
    for (const view of ['seine_progress', 'seine_visits', 'seine_jobs'])
      expect(ask(path, `SELECT * FROM ${view}`)).toEqual([])
  })

  it('is refused if a later version has written it', () => {
    const path = join(folder, 'later.db')
    void createSqliteStore({ path }).close()
    const db = new DatabaseSync(path)
    db.exec(`UPDATE seine_meta SET value = 99 WHERE name = 'layout'`)
    db.close()
    expect(() => createSqliteStore({ path })).toThrow('layout 99')
  })

  it('is refused if it is not a database, or cannot be opened', () => {
    expect(() => createSqliteStore({ path: import.meta.filename })).toThrow('not a database')
    expect(() => createSqliteStore({ path: join(folder, 'no', 'such', 'folder.db') })).toThrow(
      'unable to open',
    )
  })

  it('gets the views of this version again', async () => {
    const path = join(folder, 'changed.db')
    await createSqliteStore({ path }).close()
    const db = new DatabaseSync(path)
    db.exec(
      'DROP VIEW seine_tasks; CREATE VIEW seine_tasks AS SELECT 1 AS former; CREATE VIEW mine AS SELECT 1 AS kept',
    )
    db.close()
    await createSqliteStore({ path }).close()
    expect(ask(path, 'SELECT * FROM seine_tasks')).toEqual([])
    expect(ask(path, 'SELECT * FROM mine')).toEqual([{ kept: 1 }])
  })

  it('loses expired entries in small batches with each write', async () => {
    const path = join(folder, 'sweep.db')
    const clock = createFakeClock()
    const store = createSqliteStore({ path, clock })
    await store.commit({
      set: Array.from({ length: 350 }, (_, i) => ({
        key: ['a', i],
        value: i,
        expiresAt: clock.now() + (i < 250 ? 5_000 : 900_000),
      })),
    })
    await clock.advance(5_000)
    const left: unknown[] = []
    for (let i = 0; i < 4; i++) {
      await store.commit({})
      left.push(...ask(path, 'SELECT count(*) AS n FROM seine_entries'))
    }
    expect(left).toEqual([{ n: 250 }, { n: 150 }, { n: 100 }, { n: 100 }])
    await store.close()
  })

  it('gets the commits of one tick as a group; a failed write fails the whole group and no later commit', async () => {
    const path = join(folder, 'broken.db')
    const store = createSqliteStore({ path })
    await store.commit({ set: [{ key: ['a', 'x'], value: 0 }] })
    const db = new DatabaseSync(path)
    db.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON seine_entries WHEN NEW.value = '"bad"' BEGIN ` +
        `SELECT RAISE(ABORT, 'the disk is broken'); END`,
    )
    const results = await Promise.allSettled(
      [1, 'bad', 2].map((value, i) => store.commit({ set: [{ key: ['b', i], value }] })),
    )
    expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await store.list({ prefix: ['b'], limit: 9 })).toEqual([])
    expect(await store.commit({ set: [{ key: ['b', 3], value: 3 }] })).toBe(true)
    const versions = (
      await store.get([
        ['a', 'x'],
        ['b', 3],
      ])
    ).map((entry) => entry?.version)
    expect(new Set(versions).size).toBe(2)
    db.close()
    await store.close()
  })

  it('never gives the same version twice, whichever connection writes and whatever is rolled back', async () => {
    const path = join(folder, 'versions.db')
    const [one, two] = [createSqliteStore({ path }), createSqliteStore({ path })]
    const db = new DatabaseSync(path)
    db.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON seine_entries WHEN NEW.value = '"bad"' BEGIN ` +
        `SELECT RAISE(ABORT, 'the disk is broken'); END`,
    )
    // The first commit of a connection reserves versions; here that commit is rolled back.
    await expect(one.commit({ set: [{ key: ['k'], value: 'bad' }] })).rejects.toThrow(
      'the disk is broken',
    )
    const versions = new Set<string | undefined>()
    for (let i = 0; i < 10; i++) {
      for (const store of [two, one]) {
        await store.commit({ set: [{ key: ['k'], value: i }] })
        versions.add((await store.get([['k']]))[0]?.version)
      }
    }
    expect(versions.size).toBe(20)
    db.close()
    await Promise.all([one.close(), two.close()])
  })

  it('holds records without an error for verify', async () => {
    const store = createSqliteStore({ path: ':memory:' })
    const records = createRecords(store)
    const change = new Change()
    for (let i = 0; i < 600; i++)
      records.jobs.insert(change, '~', {
        id: `j${i}`,
        kind: 'a',
        data: null,
        lane: 'short',
        dueAt: i,
        attempt: 0,
        lease: null,
      })
    await records.commit(change)
    expect(await inspect(store).indexes({})).toEqual({
      accounts: 1,
      records: 600,
      entries: 600,
      faults: [],
      more: { left: 0, repaired: 0 },
    })
    await store.close()
  })
})
