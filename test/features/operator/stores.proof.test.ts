import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import type { Range, Store } from '../../../src/ports/store.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { createOperatorHost } from '../../support/worlds/operator-host.ts'

const { connect, schema } = await openPostgres()
const folder = await mkdtemp(join(tmpdir(), 'seine-operator-'))
afterAll(() => rm(folder, { recursive: true }))

const STORES: Readonly<Record<string, () => Store>> = {
  memory: () => createMemoryStore(),
  sqlite: () => createSqliteStore({ path: join(folder, 'seine.db') }),
  postgres: () => createPostgresStore({ client: connect(), schema: schema() }),
}
const NAMES = ['Acme', 'a', 'a b', 'a/b', 'aa', 'b@example.com', 'zé', '~~', '日本', '😀']
const REASON = { reason: 'A test' }

test.for(Object.keys(STORES))('accounts, acts and runs are listed on %s', async (name) => {
  const inner = STORES[name]?.()
  if (!inner) throw new Error(name)
  const reads: Range[] = []
  const store: Store = {
    get: (keys) => inner.get(keys),
    list: (range) => (reads.push(range), inner.list(range)),
    commit: (change) => inner.commit(change),
    close: () => inner.close(),
  }
  const { host, ask, all } = await createOperatorHost({ store })
  for (const account of NAMES) await host.keyOf(account)
  for (let count = 0; count < 300; count++) await host.keyOf('aa', ['tasks:read'])
  await host.executionWith([])

  for (const limit of [1, 3, 100]) {
    const { items } = await all(`/accounts?limit=${limit}`)
    const bytes = (text: string) => Buffer.from(text).toString('hex')
    expect(items.map(({ id }) => id)).toEqual(
      [...NAMES, 'acme', 'staff'].toSorted((a, b) => (bytes(a) < bytes(b) ? -1 : 1)),
    )
  }
  // However many records an account has, its name is one read of one entry.
  reads.length = 0
  await all('/accounts?q=nothing')
  expect(reads.every(({ limit }) => limit === 1)).toBe(true)
  expect(reads.length).toBeLessThan(2 * NAMES.length)

  for (const account of NAMES) {
    const path = `/accounts/${encodeURIComponent(account)}`
    expect((await ask('POST', `${path}/suspend`, REASON)).status).toBe(200)
    expect((await ask('GET', path)).body.data).toMatchObject({ id: account, state: 'suspended' })
    expect((await ask('POST', `${path}/adjustments`, { credits: 5, ...REASON })).status).toBe(201)
    expect(
      (await ask('GET', `/log?account=${encodeURIComponent(account)}`)).body.data.items,
    ).toHaveLength(2)
  }
  const suspended = await all('/accounts?state=suspended&limit=4')
  expect(suspended.items).toHaveLength(NAMES.length)
  expect((await all('/runs?limit=1')).items).toMatchObject([{ account: 'acme', status: 'queued' }])
  expect((await ask('GET', '/health')).body.data.queue).toHaveLength(3)
  await store.close()
})
