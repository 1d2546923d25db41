import { setImmediate as turn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Key } from '../../../src/kernel/key.ts'
import type { Store } from '../../../src/ports/store.ts'

const LARGE = 'x'.repeat(1_000_000)
const TASKS: Key = ['acme', 'tasks']

/** A store in which an account has ten tasks of 1 MB, and a small one after each. */
async function fill(make: () => Promise<Store>): Promise<Store> {
  const store = await make()
  for (let i = 0; i < 10; i++)
    await store.commit({
      set: [
        { key: [...TASKS, i], value: `${i} ${LARGE}` },
        { key: [...TASKS, i, 'note'], value: i },
      ],
    })
  await turn()
  return store
}

/** The first characters of values, by which the tests know them. */
const briefly = (entries: readonly ({ readonly value: unknown } | null)[]): string[] =>
  entries.map((entry) => String(entry?.value).slice(0, 3))

/** Changes the store in the turn after the first large values of a list were read. */
async function changedMeanwhile(
  store: Store,
  change: Parameters<Store['commit']>[0],
  limit: number,
): Promise<string[]> {
  // Their weight is known from now on.
  await store.get([[...TASKS, 0]])
  await turn()
  const [list] = await Promise.all([
    store.list({ prefix: TASKS, limit }),
    turn().then(() => store.commit(change)),
  ])
  return briefly(list)
}

/** Tests of a store that answers within the call, and has large values in parts. */
export function largeTurns(name: string, make: () => Promise<Store>): void {
  it(`${name} reads the large values of one list in turns of their own`, async () => {
    const store = await fill(make)
    let turns = 0
    const counted = new AbortController()
    const count = (async () => {
      for (; !counted.signal.aborted; turns++) await turn()
    })()
    expect(await store.list({ prefix: TASKS, limit: 100 })).toHaveLength(20)
    expect(turns).toBeGreaterThanOrEqual(4)
    turns = 0
    expect(await store.get(Array.from({ length: 10 }, (_, i) => [...TASKS, i]))).toHaveLength(10)
    expect(turns).toBeGreaterThanOrEqual(4)
    counted.abort()
    await count
    await store.close()
  })

  it(`${name} answers other accounts while a list of large values is read`, async () => {
    const store = await fill(make)
    await store.commit({ set: [{ key: ['other', 'tasks', 1], value: 1 }] })
    const order: string[] = []
    const list = store.list({ prefix: TASKS, limit: 100 }).then(() => order.push('list'))
    await turn()
    const other = store.get([['other', 'tasks', 1]]).then(() => order.push('other'))
    await Promise.all([list, other])
    expect(order).toEqual(['other', 'list'])
    await store.close()
  })

  it(`${name} shows a value that is replaced while its list is read as it is now`, async () => {
    const store = await fill(make)
    const set = [
      { key: [...TASKS, 8], value: 'small' },
      { key: [...TASKS, 9], value: `new ${LARGE}` },
    ]
    const list = await changedMeanwhile(store, { set }, 100)
    expect(list).toHaveLength(20)
    expect(list.slice(-4)).toEqual(['sma', '8', 'new', '9'])
    await store.close()
  })

  it(`${name} fills a list whose values are removed while it is read`, async () => {
    const store = await fill(make)
    const change = { delete: [6, 7].map((i) => [...TASKS, i]) }
    const list = await changedMeanwhile(store, change, 16)
    expect(list).toHaveLength(16)
    expect(list.slice(-4)).toEqual(['6', '7', '8 x', '8'])
    await store.close()
  })
}
