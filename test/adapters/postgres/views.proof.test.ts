import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { encodeKey } from '../../../src/kernel/key.ts'
import type { TaskRecord } from '../../../src/features/tasks/records.ts'
import { Change } from '../../../src/records/change.ts'
import { Collection } from '../../../src/records/collection.ts'
import { createRecords } from '../../../src/features/records.ts'
import { REPORT_VIEWS } from '../../../src/features/report-views.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const { sql, schema } = await openPostgres()

const TASK: TaskRecord = {
  id: 't1',
  name: 'Prices',
  description: '',
  labels: ['x', 'y'],
  status: 'active',
  recipe: { start: {} },
  createdAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
  updatedAt: 0,
}

/** A schema with tasks in it, and a way to ask its views. */
async function made(...tasks: readonly { account: string; task: TaskRecord }[]) {
  const name = schema()
  const store = createPostgresStore({ client: sql, schema: name })
  const records = createRecords(store)
  const change = new Change()
  for (const { account, task } of tasks) records.tasks.insert(change, account, task)
  await records.commit(change)
  return {
    name,
    store,
    ask: async (text: string) =>
      [...(await sql.unsafe(text.replaceAll('@', `${name}.`)))].map((row) => ({ ...row })),
  }
}

describe('views', () => {
  it('show collections that records have, and can all be queried', async () => {
    const { ask } = await made()
    const collections = Object.values(
      createRecords(createMemoryStore({ clock: { now: () => 0 } })),
    ).flatMap((one) => (one instanceof Collection ? [one.spec.name] : []))
    for (const { name, collection, columns } of REPORT_VIEWS) {
      expect([...collections, 'usage']).toContain(collection)
      expect(
        await ask(
          `SELECT ${columns.map((column) => `"${column.name}"`).join(', ')} FROM @"${name}"`,
        ),
      ).toEqual([])
    }
  })

  it('show accounts and texts unchanged, with a replacement for characters that Postgres cannot store', async () => {
    const odd = 'a\u0000\u0000b \ud800 c\\u0000 \\\\\u0000 \u{1f41f} "d"'
    const { ask } = await made(
      { account: 'äcme \u{1f41f} ~', task: { ...TASK, name: odd } },
      { account: 'b', task: TASK },
    )
    expect(
      await ask('SELECT account, name, labels, created_at FROM @tasks ORDER BY account'),
    ).toEqual([
      { account: 'b', name: 'Prices', labels: ['x', 'y'], created_at: new Date(TASK.createdAt) },
      {
        account: 'äcme \u{1f41f} ~',
        name: odd.replaceAll('\u0000', '\ufffd').replaceAll('\ud800', '\ufffd'),
        labels: ['x', 'y'],
        created_at: new Date(TASK.createdAt),
      },
    ])
  })

  it('can read any key', async () => {
    const { name } = await made()
    const text = fc.string({ unit: 'binary' }).map((part) => part.replaceAll('\u0000', ''))
    await fc.assert(
      fc.asyncProperty(
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        async (part, number) => {
          const [row] = await sql.unsafe(
            `SELECT ${name}.key_text($1::text, 1) AS part, ${name}.key_number($1::text, 2) AS number`,
            [encodeKey(['x', part, number])],
          )
          expect(row).toEqual({ part, number: number === 0 ? 0 : number })
        },
      ),
      { numRuns: 100 },
    )
  })

  it('that are asked for few records use an index', async () => {
    const { ask, name } = await made({ account: 'b', task: TASK })
    await sql.unsafe(
      `INSERT INTO ${name}.entries SELECT 'x' || i, 'frontier', '1', i FROM ` +
        `generate_series(1, 5000) AS i; ANALYZE ${name}.entries`,
    )
    expect(JSON.stringify(await ask('EXPLAIN SELECT * FROM @tasks'))).toContain('entries_reported')
  })
})

describe('the schema', () => {
  it('is refused if a later version has made it', async () => {
    const { name } = await made()
    await sql`INSERT INTO ${sql(name)}.migrations (version) VALUES (99)`
    await expect(createPostgresStore({ client: sql, schema: name }).get([['a']])).rejects.toThrow(
      'layout 99',
    )
  })

  it('gets the views of this version again, and keeps views of others', async () => {
    const { name, ask } = await made({ account: 'b', task: TASK })
    const former =
      sql.unsafe(`UPDATE ${name}.migrations SET views = 'former'; DROP VIEW ${name}.tasks; CREATE VIEW ${name}.tasks AS SELECT 1 AS former; DROP VIEW ${name}.ledger;
      DROP VIEW ${name}.jobs; CREATE VIEW ${name}.jobs AS SELECT 2 AS former; CREATE VIEW ${name}.mine AS SELECT former FROM ${name}.jobs`)
    await former
    await createPostgresStore({ client: sql, schema: name }).get([['a']])
    expect(await ask('SELECT id FROM @tasks')).toEqual([{ id: 't1' }])
    expect(await ask('SELECT id FROM @ledger')).toEqual([])
    // The operator's own view depends on this one.
    expect(await ask('SELECT former FROM @mine')).toEqual([{ former: 2 }])
  })

  it('is refused if its name has harmful characters', () => {
    for (const name of ['', 'a"b', 'a; DROP TABLE x', 'A', '1a', 'a'.repeat(41)])
      expect(() => createPostgresStore({ client: sql, schema: name })).toThrow(TypeError)
    expect(() => createPostgresStore({ client: sql, commitGroups: 0 })).toThrow(TypeError)
  })

  it('is made once the database can be reached, and not before', async () => {
    const name = schema()
    let down = true
    const flaky = {
      unsafe: (...args: Parameters<typeof sql.unsafe>) =>
        down ? sql.unsafe('SELECT 1 / 0') : sql.unsafe(...args),
    }
    const store = createPostgresStore({ client: flaky, schema: name })
    await expect(store.get([['a']])).rejects.toThrow('division by zero')
    await expect(store.commit({ set: [{ key: ['a'], value: 1 }] })).rejects.toThrow(
      'division by zero',
    )
    down = false
    expect(await store.commit({ set: [{ key: ['a'], value: 1 }] })).toBe(true)
    expect((await store.get([['a']]))[0]?.value).toBe(1)
  })
})
