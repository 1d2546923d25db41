import { DatabaseSync } from 'node:sqlite'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { SqliteStore } from '../../../adapters/common/sqlite/sqlite-store.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'

const entries = (account: string, from: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ key: [account, 'x', from + index], value: index }))

/** The number of entries that are written in each turn of the event loop, until `work` ends. */
async function turnsOf(
  work: (note: (entries: number) => void) => Promise<void>,
): Promise<number[]> {
  const turns = [0]
  let isOver = false
  const next = (): void => {
    turns.push(0)
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  await work((count) => (turns[turns.length - 1] = (turns.at(-1) ?? 0) + count))
  isOver = true
  return turns
}

test('commits that follow one another leave turns of the event loop for other work', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const turns = await turnsOf(async (note) => {
    for (let index = 0; index < 20; index++) {
      await store.commit({ set: entries('one', index * 500, 500) })
      note(500)
    }
  })
  expect(Math.max(...turns)).toBeLessThanOrEqual(1_500)
  expect(await store.list({ prefix: ['one'], limit: 20_000 })).toHaveLength(10_000)
  await store.close()
})

test('large commits of one turn become several transactions, in their order', async () => {
  const store = createSqliteStore({ path: ':memory:' })
  const answers: (boolean | null)[] = []
  const turns = await turnsOf(async (note) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        // Each commit overwrites the one before it; every second one is refused.
        const check = [{ key: ['none'], version: index % 2 === 0 ? null : '1' }]
        answers.push(
          await store.commit({
            check,
            set: [...entries('many', index * 600, 600), { key: ['last'], value: index }],
          }),
        )
        note(600)
      }),
    )
  })
  expect(Math.max(...turns)).toBeLessThanOrEqual(1_800)
  expect(answers).toEqual(Array.from({ length: 20 }, (_, index) => index % 2 === 0))
  const [last] = await store.get([['last']])
  expect(last?.value).toBe(18)
  await store.close()
})

/** A store that counts its transactions that write. */
function countingStore() {
  const counted = { begun: 0 }
  const store = new SqliteStore(
    (path) => {
      const db = new DatabaseSync(path)
      const prepare = db.prepare.bind(db)
      return Object.assign(db, {
        prepare(sql: string) {
          const statement = prepare(sql)
          if (!sql.startsWith('BEGIN IMMEDIATE')) return statement
          const run = statement.run.bind(statement)
          return Object.assign(statement, { run: () => (counted.begun++, run()) })
        },
      })
    },
    { path: ':memory:' },
  )
  return { store, counted }
}

/** Commits one after the other, each in a callback of its own of the same turn of the event loop. */
async function commitInTurn(
  store: SqliteStore,
  commits: readonly Parameters<SqliteStore['commit']>[0][],
): Promise<boolean[]> {
  await turn()
  return Promise.all(
    commits.map(
      (commit) =>
        new Promise<boolean>((resolve, reject) => {
          setImmediate(() => store.commit(commit).then(resolve, reject))
        }),
    ),
  )
}

test('commits that check nothing share a transaction with those of the same turn', async () => {
  const { store, counted } = countingStore()
  const before = counted.begun
  const commits = entries('one', 0, 16).map((entry) => ({ set: [entry] }))
  expect(await commitInTurn(store, commits)).toEqual(commits.map(() => true))
  expect(counted.begun - before).toBe(1)
  expect(await store.list({ prefix: ['one'], limit: 100 })).toHaveLength(16)
  await store.close()
})

test('a commit that checks something is written at once, after those before it', async () => {
  const { store, counted } = countingStore()
  const before = counted.begun
  const key = ['one', 'x', 'last']
  const answers = await commitInTurn(store, [
    { set: [{ key, value: 1 }] },
    { check: [{ key, version: null }], set: [{ key, value: 2 }] },
    { check: [{ key: ['one', 'none'], version: null }], set: [{ key, value: 3 }] },
    { set: [{ key, value: 4 }] },
  ])
  expect(answers).toEqual([true, false, true, true])
  expect(counted.begun - before).toBe(3)
  expect((await store.get([key]))[0]?.value).toBe(4)
  await store.close()
})

test('commits that wait for their turn are written when the store closes', async () => {
  const { store } = countingStore()
  const commit = store.commit({ set: entries('one', 0, 1) })
  await store.close()
  expect(await commit).toBe(true)
})
