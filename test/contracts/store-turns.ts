import { expect, it } from 'vitest'
import type { Store } from '../../src/ports/store.ts'

/** Answers that may come before that of another account, of 400 that one account waits for. */
const MOST_BEFORE = 100

/** Every store of which answers have to be waited for shares that waiting between accounts. */
export function storeTurns(name: string, make: () => Promise<Store>): void {
  it(`${name} answers lists that one account has asked for by the hundred in turns with those of others`, async () => {
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
    // The connections that there will be are made first: one that is on its way up answers late.
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
