import { expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'

/** How many of the 400 answers for one account may come before that of another account. */
const MOST_BEFORE = 100

/** The test of every store that answers later: accounts have their answers in turns. */
export function storeTurns(name: string, make: () => Promise<Store>): void {
  it(`${name} answers hundreds of lists of one account in turns with the lists of other accounts`, async () => {
    const store = await make()
    for (const account of ['many', 'one']) {
      await store.commit({
        set: Array.from({ length: 500 }, (_, i) => ({ key: [account, 'x', i], value: i })),
      })
    }
    const order: string[] = []
    const ask = async (account: string): Promise<void> => {
      const entries = await store.list({ prefix: [account, 'x'], limit: 500 })
      expect(entries).toHaveLength(500)
      order.push(account)
    }
    // All connections are made first, as a connection that is being made answers late.
    await Promise.all(Array.from({ length: 40 }, () => ask('one')))
    order.length = 0
    const many = Array.from({ length: 400 }, () => ask('many'))
    const get = store.get([['one', 'x', 1]]).then(() => order.push('get'))
    await Promise.all([...many, ask('one'), ask('one'), get])
    expect(order.lastIndexOf('one')).toBeLessThanOrEqual(MOST_BEFORE)
    expect(order.indexOf('get')).toBeLessThanOrEqual(MOST_BEFORE)
    await store.close()
  })
}

/** The test of every store whose commits wait. It sends one group of them after the other. */
export function commitTurns(name: string, make: () => Promise<Store>): void {
  it(`${name} writes hundreds of commits of one account in turns with the commits of other accounts`, async () => {
    const store = await make()
    const order: string[] = []
    const write = async (account: string, commit: number): Promise<void> => {
      const set = Array.from({ length: 100 }, (_, i) => ({ key: [account, commit, i], value: i }))
      expect(await store.commit({ set })).toBe(true)
      order.push(account)
    }
    await Promise.all(Array.from({ length: 40 }, (_, i) => write('early', i)))
    order.length = 0
    const many = Array.from({ length: 300 }, (_, i) => write('many', i))
    await Promise.all([...many, write('one', 1), write('one', 2)])
    expect(order).toHaveLength(302)
    expect(order.lastIndexOf('one')).toBeLessThanOrEqual(MOST_BEFORE)
    await store.close()
  })
}
