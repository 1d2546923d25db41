import { expect, it } from 'vitest'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import type { PostgresJs } from '../../../adapters/postgres/index.ts'
import type { Key } from '../../../src/kernel/key.ts'
import type { Store } from '../../../src/ports/store.ts'
import { openPostgres } from '../../support/postgres/open.ts'
import { seededRandom } from '../../support/fakes/seeded-random.ts'

const { sql, connect, schema } = await openPostgres()

/**
 * Stores that know nothing of one another, like those of several processes, and the notices that
 * their clients got from the database.
 */
async function strangers(count: number): Promise<{ stores: Store[]; errors: unknown[] }> {
  const name = schema()
  const errors: unknown[] = []
  const stores = Array.from({ length: count }, () => {
    const client = connect()
    const watched: PostgresJs = {
      unsafe(...args) {
        const query = client.unsafe(...args)
        return Object.assign(
          query.then((rows) => rows),
          {
            values: () =>
              query.values().then(undefined, (error: unknown) => {
                errors.push(error)
                throw error
              }),
          },
        )
      },
    }
    return createPostgresStore({ client: watched, schema: name, commitGroups: 2 })
  })
  await stores[0]?.commit({ set: [{ key: ['made'], value: true }] })
  return { stores, errors }
}

it('one of two writers wins if their checks exclude each other, for present and for absent keys', async () => {
  const { stores, errors } = await strangers(2)
  const [one, two] = stores
  if (!one || !two) throw new Error('There are two stores')
  for (let round = 0; round < 60; round++) {
    const [a, b]: [Key, Key] = [
      ['a', round],
      ['b', round],
    ]
    if (round % 2)
      await one.commit({
        set: [
          { key: a, value: 0 },
          { key: b, value: 0 },
        ],
      })
    const [was] = await one.get([a])
    const [its] = await one.get([b])
    const results = await Promise.all([
      one.commit({
        check: [{ key: a, version: was?.version ?? null }],
        set: [{ key: b, value: 1 }],
      }),
      two.commit({
        check: [{ key: b, version: its?.version ?? null }],
        set: [{ key: a, value: 2 }],
      }),
    ])
    expect(results.toSorted()).toEqual([false, true])
    expect((await one.get([a, b])).filter((entry) => entry && entry.value !== 0)).toHaveLength(1)
  }
  expect(errors).toEqual([])
})

it('commits never deadlock, whatever keys appear, change and disappear at the same time', async () => {
  const { stores, errors } = await strangers(4)
  const random = seededRandom(27)
  const pick = (below: number) => (random(1)[0] ?? 0) % below
  let added = 0
  const work = stores.map(async (store) => {
    for (let i = 0; i < 60; i++) {
      const keys = [...new Set(Array.from({ length: 8 }, () => pick(24)))]
      const outcomes = await Promise.all(
        Array.from({ length: 3 }, () => {
          const [checked = 0, ...rest] = keys.toSorted(() => pick(3) - 1)
          return store.commit({
            ...(pick(3) === 0 && { check: [{ key: ['k', checked], version: null }] }),
            set: rest.slice(0, 3).map((key) => ({ key: ['k', key], value: i })),
            delete: rest.slice(3).map((key) => ['k', key]),
            add: [
              { key: ['n', pick(3)], amount: 1 },
              { key: ['m', i % 20], amount: 1 },
            ],
          })
        }),
      )
      added += outcomes.filter(Boolean).length
    }
  })
  await Promise.all(work)
  expect(errors).toEqual([])
  const [store] = stores
  for (const counters of ['n', 'm']) {
    const entries = await store?.list({ prefix: [counters], limit: 100 })
    expect(entries?.reduce((sum, { value }) => sum + Number(value), 0)).toBe(added)
  }
})

it('a commit is tried again if the database rolls it back because of other commits', async () => {
  const name = schema()
  // A host may have set this as the default; then a row that was changed meanwhile is an error.
  const stores = Array.from({ length: 3 }, () =>
    createPostgresStore({
      client: connect({ default_transaction_isolation: 'serializable' }),
      schema: name,
    }),
  )
  const steps = Array.from({ length: 30 }, (_, i) => i)
  const work = stores.map(async (store) => {
    for (const i of steps)
      expect(await store.commit({ add: [{ key: ['n'], amount: i }] })).toBe(true)
  })
  await Promise.all(work)
  expect((await stores[0]?.get([['n']]))?.[0]?.value).toBe(3 * steps.reduce((sum, i) => sum + i, 0))
})

it('six stores at the same time make one schema, also in sessions that have made other schemas', async () => {
  const clients = Array.from({ length: 6 }, () => connect())
  for (let round = 0; round < 10; round++) {
    const name = schema()
    const stores = clients.map((client) => createPostgresStore({ client, schema: name }))
    expect(
      await Promise.all(stores.map((store) => store.commit({ add: [{ key: ['n'], amount: 1 }] }))),
    ).toEqual(stores.map(() => true))
    expect((await stores[0]?.get([['n']]))?.[0]?.value).toBe(6)
    expect(
      (await sql`SELECT version FROM ${sql(name)}.migrations`).map(({ version }) => version),
    ).toEqual([1])
  }
})
