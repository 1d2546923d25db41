import { Pool } from 'pg'
import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { openPostgres } from '../../support/postgres/open.ts'

const { sql, host, schema } = await openPostgres()

it('a pool of pg that nobody listens to survives a server that ends its connections', async () => {
  const name = schema()
  const client = new Pool({
    host,
    user: 'seine',
    database: 'postgres',
    max: 2,
    application_name: name,
  })
  const store = createPostgresStore({ client, schema: name })
  await store.commit({ set: [{ key: ['a'], value: 1 }] })
  expect(client.idleCount).toBeGreaterThan(0)
  await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ${name}`
  // All connections have ended: a call over one that the pool takes for alive would fail.
  await expect.poll(() => client.totalCount).toBe(0)
  expect((await store.get([['a']]))[0]?.value).toBe(1)
  await store.close()
  await client.end()
})

it('a backup whose connection ends between two pages rejects, and the process goes on', async () => {
  const name = schema()
  const client = new Pool({
    host,
    user: 'seine',
    database: 'postgres',
    // The call after the backup gets a new connection, not one whose end is still on its way.
    max: 1,
    application_name: name,
  })
  const store = createPostgresStore({ client, schema: name })
  await store.commit({ set: Array.from({ length: 900 }, (_, i) => ({ key: ['a', i], value: i })) })
  const ended = new Promise((resolve) =>
    client.on('acquire', (connection) => connection.once('end', resolve)),
  )
  const backup = async (): Promise<void> => {
    for await (const _ of store.snapshot?.([[]]) ?? []) {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = ${name}`
      await ended
    }
  }
  await expect(backup()).rejects.toThrow('cannot be reached')
  expect((await store.get([['a', 1]]))[0]?.value).toBe(1)
  await store.close()
  await client.end()
})

it('a connection that ends in the packet in which it was ready does not end the process', async () => {
  const name = schema()
  const client = new Pool({ host, user: 'seine', database: 'postgres' })
  const store = createPostgresStore({ client, schema: name })
  await store.commit({ set: [{ key: ['a'], value: 1 }] })
  // The pool has taken its listener away, and no microtask has run since.
  client.on('acquire', (connection) =>
    queueMicrotask(() => connection.emit('error', new Error('Connection terminated'))),
  )
  for await (const page of store.snapshot?.([['a']]) ?? []) expect(page).toHaveLength(1)
  await store.close()
  await client.end()
})

it('a listener of the host stays the only one', () => {
  const client = new Pool({ host })
  client.on('error', () => {})
  createPostgresStore({ client, schema: schema() })
  expect(client.listenerCount('error')).toBe(1)
})
