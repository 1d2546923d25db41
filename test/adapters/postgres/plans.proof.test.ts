import pg from 'pg'
import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const { connect, host, schema } = await openPostgres()

it('every query uses the index, although its plan was made while the table had one page', async () => {
  const name = schema()
  const client = connect({}, 1)
  const store = createPostgresStore({ client, schema: name })
  await store.commit({ set: Array.from({ length: 20 }, (_, i) => ({ key: ['a', i], value: i })) })
  await client.unsafe(`ANALYZE ${name}.entries`)
  const scans = async () => {
    await client`SELECT pg_stat_force_next_flush()`
    const [row] =
      await client`SELECT seq_scan, idx_scan FROM pg_stat_user_tables WHERE schemaname = ${name} AND relname = 'entries'`
    return { sequential: Number(row?.['seq_scan']), indexed: Number(row?.['idx_scan']) }
  }
  const before = await scans()
  for (let i = 0; i < 12; i++) {
    const [entry] = await store.get([['a', i]])
    await store.get([
      ['a', i],
      ['a', i + 1],
    ])
    await store.list({ prefix: ['a'], limit: 5 })
    await store.list({ prefix: ['a'], limit: 5, reverse: true })
    await store.commit({
      check: [{ key: ['a', i], version: entry?.version ?? null }],
      set: [
        { key: ['a', i], value: 1 },
        { key: ['b', i], value: 1 },
      ],
      delete: [['a', 19 - i]],
      add: [{ key: ['n'], amount: 1 }],
    })
  }
  const after = await scans()
  expect(after.sequential).toBe(before.sequential)
  expect(after.indexed - before.indexed).toBeGreaterThan(12 * 6)
})

it('statements are prepared, unless an option says otherwise', async () => {
  const name = schema()
  const client = connect({}, 1)
  const pool = new pg.Pool({ host, user: 'seine', database: 'postgres', max: 1 })
  const prepared = async (
    ask: (text: string) => Promise<unknown>,
    options: { prepare?: boolean; client: Parameters<typeof createPostgresStore>[0]['client'] },
  ) => {
    const store = createPostgresStore({ ...options, schema: name })
    await store.commit({ set: [{ key: ['a'], value: 1 }] })
    expect(await store.get([['a']])).toHaveLength(1)
    expect(await store.list({ prefix: [], limit: 1 })).toHaveLength(1)
    return ask(
      `SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE '%"` +
        `${name}"%' AND statement NOT LIKE '%pg_prepared%'`,
    )
  }
  const byJs = async (text: string) => (await client.unsafe(text))[0]?.['count']
  const byPg = async (text: string) => (await pool.query<{ count: number }>(text)).rows[0]?.count
  expect(await prepared(byJs, { client, prepare: false })).toBe(0)
  expect(await prepared(byPg, { client: pool, prepare: false })).toBe(0)
  // The statement of the sweep is one of them.
  expect(await prepared(byJs, { client })).toBe(4)
  expect(await prepared(byPg, { client: pool })).toBe(4)
  await pool.end()
})
