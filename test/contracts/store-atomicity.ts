import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Key } from '../../src/kernel/key.ts'
import type { Store } from '../../src/ports/store.ts'
import type { StoreSubject } from './store-subject.ts'

export function storeAtomicity(make: () => Promise<StoreSubject>): void {
  describe('atomic writes', () => {
    let store: Store
    beforeEach(async () => {
      store = (await make()).store
    })
    afterEach(() => store.close())
    const value = async (...key: Key): Promise<unknown> =>
      (await store.get([key]))[0]?.value ?? null
    const version = async (...key: Key): Promise<string | null> =>
      (await store.get([key]))[0]?.version ?? null

    it('writes everything, or nothing if one check fails', async () => {
      await store.commit({
        set: [
          { key: ['a', 1], value: 'old' },
          { key: ['a', 2], value: 'old' },
        ],
      })
      const stale = await version('a', 1)
      await store.commit({ set: [{ key: ['a', 1], value: 'new' }] })
      const failed = await store.commit({
        check: [
          { key: ['a', 2], version: await version('a', 2) },
          { key: ['a', 3], version: null },
          { key: ['a', 1], version: stale },
        ],
        set: [{ key: ['a', 3], value: 'x' }],
        delete: [['a', 2]],
        add: [{ key: ['a', 4], amount: 1 }],
      })
      expect(failed).toBe(false)
      expect((await store.list({ prefix: ['a'], limit: 9 })).map((entry) => entry.value)).toEqual([
        'new',
        'old',
      ])
      expect(
        await store.commit({
          check: [{ key: ['a', 1], version: await version('a', 1) }],
          set: [{ key: ['a', 3], value: 'x' }],
          delete: [['a', 2]],
        }),
      ).toBe(true)
      expect((await store.list({ prefix: ['a'], limit: 9 })).map((entry) => entry.value)).toEqual([
        'new',
        'x',
      ])
    })

    it('checks that a key is absent, or that it has a version', async () => {
      for (const unknown of ['1', ''])
        expect(await store.commit({ check: [{ key: ['a'], version: unknown }] })).toBe(false)
      expect(
        await store.commit({
          check: [{ key: ['a'], version: null }],
          set: [{ key: ['a'], value: 1 }],
        }),
      ).toBe(true)
      expect(
        await store.commit({
          check: [{ key: ['a'], version: null }],
          set: [{ key: ['a'], value: 2 }],
        }),
      ).toBe(false)
      expect(
        await store.commit({
          check: [{ key: ['a'], version: 'no such version' }],
          set: [{ key: ['a'], value: 2 }],
        }),
      ).toBe(false)
      expect(await value('a')).toBe(1)
    })

    it('never gives a key the same version twice', async () => {
      const seen = new Set<string | null>()
      for (let i = 0; i < 5; i++) {
        await store.commit({ set: [{ key: ['a'], value: 1 }] })
        seen.add(await version('a'))
        await store.commit({ set: [{ key: ['a'], value: 1 }] })
        seen.add(await version('a'))
        await store.commit({ delete: [['a']] })
        await store.commit({ add: [{ key: ['a'], amount: 1 }] })
        seen.add(await version('a'))
        await store.commit({ add: [{ key: ['a'], amount: 1 }] })
        seen.add(await version('a'))
      }
      expect(seen.size).toBe(20)
    })

    it('gives the same version in get and list, and keeps it until the key is written', async () => {
      await store.commit({ set: [{ key: ['a', 1], value: 1 }] })
      const before = await version('a', 1)
      await store.commit({ set: [{ key: ['a', 2], value: 1 }], delete: [['a', 3]] })
      expect(await version('a', 1)).toBe(before)
      expect((await store.list({ prefix: ['a'], limit: 1 }))[0]?.version).toBe(before)
    })

    it('adds to counters, which begin at 0 if absent, and keeps a counter without expiry for ever', async () => {
      await store.commit({
        add: [
          { key: ['c', 1], amount: 2 },
          { key: ['c', 2], amount: -0.5 },
        ],
      })
      await store.commit({ add: [{ key: ['c', 1], amount: 3 }], delete: [['c', 2]] })
      expect(await value('c', 1)).toBe(5)
      expect(await value('c', 2)).toBe(null)
    })

    it('rejects a commit that adds to a value that is not a number, and writes nothing of it', async () => {
      await store.commit({ set: [{ key: ['c'], value: '7' }] })
      const spoilt = store.commit({
        set: [{ key: ['d'], value: 1 }],
        add: [
          { key: ['n'], amount: 1 },
          { key: ['c'], amount: 1 },
        ],
      })
      const good = store.commit({ set: [{ key: ['e'], value: 1 }] })
      await expect(spoilt).rejects.toThrow(TypeError)
      expect(await good).toBe(true)
      expect(await store.get([['c'], ['d'], ['n']])).toMatchObject([{ value: '7' }, null, null])
      for (const amount of [Number.NaN, Number.POSITIVE_INFINITY])
        await expect(store.commit({ add: [{ key: ['n'], amount }] })).rejects.toThrow(TypeError)
    })

    it('refuses a commit that writes one key twice', async () => {
      const key = ['a', 'k']
      const set = [{ key, value: 1 }]
      const add = [{ key, amount: 1 }]
      for (const change of [
        { set: [...set, ...set] },
        { set, add },
        { set, delete: [key] },
        { add, delete: [key] },
        { add: [...add, ...add] },
      ]) {
        await expect(store.commit(change)).rejects.toThrow(TypeError)
      }
      expect(await value(...key)).toBe(null)
    })

    it('lets exactly one of 1,000 concurrent claims win', async () => {
      const results = await Promise.all(
        Array.from({ length: 1_000 }, (_, i) =>
          store.commit({
            check: [{ key: ['claim'], version: null }],
            set: [{ key: ['claim'], value: i }],
          }),
        ),
      )
      expect(results.filter(Boolean)).toHaveLength(1)
      expect(await value('claim')).toBe(results.indexOf(true))
    })

    it('loses none of 1,000 concurrent increments, by counter and by check', async () => {
      await Promise.all(
        Array.from({ length: 1_000 }, () =>
          store.commit({ add: [{ key: ['n', 'add'], amount: 1 }] }),
        ),
      )
      expect(await value('n', 'add')).toBe(1_000)
      const increment = async (): Promise<void> => {
        for (;;) {
          const [entry] = await store.get([['n', 'cas']])
          const next = Number(entry?.value ?? 0) + 1
          if (
            await store.commit({
              check: [{ key: ['n', 'cas'], version: entry?.version ?? null }],
              set: [{ key: ['n', 'cas'], value: next }],
            })
          )
            return
        }
      }
      await Promise.all(
        Array.from({ length: 20 }, async () => {
          for (let i = 0; i < 50; i++) await increment()
        }),
      )
      expect(await value('n', 'cas')).toBe(1_000)
    })

    it('keeps the sum of a bank while 1,000 transfers run at the same time', async () => {
      const ACCOUNTS = 20
      const key = (i: number): Key => ['bank', i % ACCOUNTS]
      await store.commit({
        set: Array.from({ length: ACCOUNTS }, (_, i) => ({ key: key(i), value: 100 })),
      })
      const transfer = async (i: number): Promise<void> => {
        const from = key(i)
        const to = key(i * 7 + 1)
        if (from[1] === to[1]) return
        for (;;) {
          const [a, b] = await store.get([from, to])
          if (!a || !b) throw new Error('An account is gone')
          const moved = await store.commit({
            check: [
              { key: from, version: a.version },
              { key: to, version: b.version },
            ],
            set: [
              { key: from, value: Number(a.value) - 1 },
              { key: to, value: Number(b.value) + 1 },
            ],
          })
          if (moved) return
        }
      }
      const sums: number[] = []
      const audit = async (): Promise<void> => {
        const entries = await store.list({ prefix: ['bank'], limit: ACCOUNTS })
        sums.push(entries.reduce((sum, entry) => sum + Number(entry.value), 0))
      }
      await Promise.all(
        Array.from({ length: 1_000 }, (_, i) =>
          i % 50 === 0 ? transfer(i).then(audit) : transfer(i),
        ),
      )
      await audit()
      expect(new Set(sums)).toEqual(new Set([ACCOUNTS * 100]))
    })
  })
}
