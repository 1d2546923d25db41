import { describe, expect, it } from 'vitest'
import { commitTurns, storeTurns } from '../../contracts/store-turns.ts'
import { largeTurns } from '../../support/stores/large-turns.ts'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'

storeTurns('createSqliteStore', async () => createSqliteStore({ path: ':memory:' }))
commitTurns('createSqliteStore', async () => createSqliteStore({ path: ':memory:' }))
largeTurns('createSqliteStore', async () => createSqliteStore({ path: ':memory:' }))

/** A store in which two accounts have 1,000 entries each. */
async function open() {
  const store = createSqliteStore({ path: ':memory:' })
  for (const account of ['many', 'one'])
    await store.commit({
      set: Array.from({ length: 1_000 }, (_, i) => ({ key: [account, 'x', i], value: i })),
    })
  await new Promise<void>((resolve) => setImmediate(resolve))
  return store
}

describe('reads of SQLite', () => {
  it('of one account without a pause leave turns for other accounts', async () => {
    const store = await open()
    let read = 0
    let before = -1
    const many = (async () => {
      for (; read < 200; read++) await store.list({ prefix: ['many', 'x'], limit: 1_000 })
    })()
    const one = new Promise<void>((resolve) =>
      setImmediate(
        () => void store.get([['one', 'x', 1]]).then(() => resolve(void (before = read))),
      ),
    )
    await Promise.all([many, one])
    expect(before).toBeLessThanOrEqual(5)
    await store.close()
  })

  it('of long records without a pause leave turns for other accounts after a few records', async () => {
    const store = await open()
    const text = 'x'.repeat(500_000)
    await store.commit({
      set: Array.from({ length: 10 }, (_, i) => ({ key: ['many', 'long', i], value: text })),
    })
    await new Promise<void>((resolve) => setImmediate(resolve))
    let read = 0
    let before = -1
    const many = (async () => {
      for (; read < 200; read++) await store.get([['many', 'long', read % 10]])
    })()
    const one = new Promise<void>((resolve) =>
      setImmediate(
        () => void store.get([['one', 'x', 1]]).then(() => resolve(void (before = read))),
      ),
    )
    await Promise.all([many, one])
    expect(before).toBeLessThanOrEqual(20)
    await store.close()
  })

  it('by the thousand of one account are answered in turns with the reads of others', async () => {
    const store = await open()
    const order: string[] = []
    const ask = (account: string) =>
      store.list({ prefix: [account, 'x'], limit: 1_000 }).then(() => order.push(account))
    const all = [...Array.from({ length: 1_000 }, () => ask('many')), ask('one'), ask('one')]
    await Promise.all(all)
    expect(order.lastIndexOf('one')).toBeLessThanOrEqual(8)
    await store.close()
  })

  it('that wait when the store is closed fail with that reason', async () => {
    const store = await open()
    const pending = Array.from({ length: 10 }, () =>
      store.list({ prefix: ['many', 'x'], limit: 1_000 }),
    )
    const closed = store.close()
    const answers = await Promise.allSettled(pending)
    await closed
    expect(
      answers.map(({ status }) => status).filter((status) => status === 'rejected').length,
    ).toBeGreaterThan(0)
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
  })
})

/** Counts the turns of the event loop until it is stopped. */
function countTurns() {
  const state = { turn: 0, isOver: false }
  const count = (): void => {
    state.turn++
    if (!state.isOver) setImmediate(count)
  }
  setImmediate(count)
  return { now: () => state.turn, stop: () => void (state.isOver = true) }
}

describe('large entries', () => {
  it('are read by one list in each turn, also if other reads of the account are small', async () => {
    const store = await openLarge()
    const counter = countTurns()
    const turns: number[] = []
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        await store.get([['acme', 'keys', 'a']])
        expect(await store.list({ prefix: ['acme', 'tasks'], limit: 5 })).toHaveLength(5)
        turns.push(counter.now())
        await store.get([['acme', 'keys', 'a']])
      }),
    )
    counter.stop()
    expect(new Set(turns).size).toBe(20)
    await store.close()
  })

  it('are read by one list in each turn, also if each is asked for in a callback of its own', async () => {
    const store = await openLarge()
    const lists: Promise<unknown>[] = []
    const turns: number[] = []
    const counter = await new Promise<ReturnType<typeof countTurns>>((resolve) => {
      // Its snapshot has ended when the first list is asked for, so that the lists wait.
      setImmediate(() => void store.get([['acme', 'keys', 'a']]))
      for (let i = 0; i < 20; i++)
        setImmediate(() => {
          const list = store.list({ prefix: ['acme', 'tasks'], limit: 5 })
          lists.push(list.then(() => turns.push(counter.now())))
        })
      setImmediate(() => resolve(countTurns()))
    })
    await Promise.all(lists)
    counter.stop()
    expect(turns).toHaveLength(20)
    expect(new Set(turns).size).toBe(20)
    await store.close()
  })
})

/** A store in which an account has five tasks of 1 MB. */
async function openLarge() {
  const store = createSqliteStore({ path: ':memory:' })
  await store.commit({
    set: Array.from({ length: 5 }, (_, i) => ({
      key: ['acme', 'tasks', i],
      value: 'x'.repeat(1_000_000),
    })),
  })
  return store
}
