import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Key } from '../../src/kernel/key.ts'
import type { Store } from '../../src/ports/store.ts'
import { storeAtomicity } from './store-atomicity.ts'
import { storeModel } from './store-model.ts'
import { storeSnapshot } from './store-snapshot.ts'
import { storeOrder } from './store-order.ts'
import type { StoreSubject } from './store-subject.ts'

/**
 * The tests that every adapter of the Store port must pass. `make` is called once for each test.
 *
 * @example
 *   import { createSqliteStore } from 'seine/sqlite'
 *
 *   storeContract('SQLite', async () => {
 *     let now = 0
 *     const clock = { now: () => now, advance: async (ms: number) => void (now += ms) }
 *     return { store: createSqliteStore({ path: ':memory:' }), clock }
 *   })
 */
export function storeContract(name: string, make: () => Promise<StoreSubject>): void {
  describe(`${name} keeps the Store contract`, () => {
    storeValues(make)
    storeOrder(make)
    storeAtomicity(make)
    storeExpiry(make)
    storeLife(make)
    storeModel(make)
    storeSnapshot(make)
  })
}

function storeValues(make: () => Promise<StoreSubject>): void {
  describe('values', () => {
    let store: Store
    beforeEach(async () => {
      store = (await make()).store
    })
    afterEach(() => store.close())

    it('keeps every kind of JSON unchanged', async () => {
      const values = [
        null,
        true,
        false,
        0,
        -1.5,
        1e300,
        '',
        'text',
        'é 漢字 \u{1f41f} \u0000 "\\',
        [],
        {},
        [1, [2, [3]]],
        { a: { b: [null] } },
        'true',
        '{"x":1}',
      ]
      await store.commit({ set: values.map((value, i) => ({ key: ['a', 'v', i], value })) })
      const entries = await store.get(values.map((_, i) => ['a', 'v', i]))
      expect(entries.map((entry) => entry?.value)).toEqual(values)
    })

    it('refuses a value that is not JSON, and writes nothing', async () => {
      for (const value of [undefined, () => 1, Symbol('x'), 1n]) {
        await expect(
          store.commit({
            set: [
              { key: ['a', 'v', 1], value: 'good' },
              { key: ['a', 'v', 2], value },
            ],
          }),
        ).rejects.toThrow(TypeError)
      }
      expect(await store.get([['a', 'v', 1]])).toEqual([null])
    })

    it('shares no object with writers and readers', async () => {
      const value = { list: [1] }
      const commit = store.commit({ set: [{ key: ['a', 'v'], value }] })
      value.list.push(2)
      await commit
      const [first] = await store.get([['a', 'v']])
      expect(first?.value).toEqual({ list: [1] })
      Object.assign(first?.value ?? {}, { list: 'changed' })
      expect((await store.get([['a', 'v']]))[0]?.value).toEqual({ list: [1] })
      expect((await store.list({ prefix: ['a'], limit: 1 }))[0]?.value).toEqual({ list: [1] })
    })

    it('answers many keys in the order of the call, with duplicate and absent keys', async () => {
      await store.commit({
        set: Array.from({ length: 1_000 }, (_, i) => ({ key: ['a', 'n', i], value: i })),
      })
      const keys: Key[] = Array.from({ length: 1_100 }, (_, i) => ['a', 'n', (i * 7) % 1_050])
      const entries = await store.get(keys)
      expect(entries.map((entry) => entry?.value ?? null)).toEqual(
        keys.map((key) => (Number(key[2]) < 1_000 ? Number(key[2]) : null)),
      )
      expect(
        entries.every((entry, i) => entry === null || entry.key.join() === keys[i]?.join()),
      ).toBe(true)
      expect(await store.get([])).toEqual([])
    })

    it('writes 10,000 entries in one commit', async () => {
      expect(
        await store.commit({
          set: Array.from({ length: 10_000 }, (_, i) => ({ key: ['a', 'big', i], value: { i } })),
        }),
      ).toBe(true)
      expect(await store.list({ prefix: ['a', 'big'], limit: 20_000 })).toHaveLength(10_000)
    })

    it('keeps values of some megabytes, one after the other', async () => {
      // This is more than a row of Cloudflare's databases can hold.
      const big = (sign: string) => `${sign}\u{1f41f}"\\\u0000`.repeat(160_000)
      const key: Key = ['a', 'large', 1]
      // Texts are compared by ===, because expect would take very long to report a difference.
      const isNow = async (sign: string) =>
        (await store.list({ prefix: ['a', 'large'], limit: 9 })).every(
          (entry, i) => entry.value === [big(sign), 'small'][i],
        )
      await store.commit({
        set: [
          { key, value: big('é') },
          { key: ['a', 'large', 2], value: 'small' },
        ],
      })
      const [first] = await store.get([key])
      expect(first?.value === big('é')).toBe(true)
      expect(await isNow('é')).toBe(true)
      expect(
        await store.commit({
          check: [{ key, version: first?.version ?? null }],
          set: [{ key, value: big('x') }],
        }),
      ).toBe(true)
      expect(
        await store.commit({
          check: [{ key, version: first?.version ?? null }],
          set: [{ key, value: big('y') }],
        }),
      ).toBe(false)
      expect(await isNow('x')).toBe(true)
      await expect(store.commit({ add: [{ key, amount: 1 }] })).rejects.toThrow(TypeError)
      await store.commit({ set: [{ key, value: null }] })
      expect((await store.get([key, ['a', 'large', 2]])).map((entry) => entry?.value)).toEqual([
        null,
        'small',
      ])
      await store.commit({ set: [{ key, value: big('z') }] })
      await store.commit({ delete: [key] })
      expect(
        (await store.list({ prefix: ['a', 'large'], limit: 9 })).map((entry) => entry.value),
      ).toEqual(['small'])
    })

    it('accepts an empty commit', async () => {
      expect(await store.commit({})).toBe(true)
      expect(await store.list({ prefix: [], limit: 10 })).toEqual([])
    })
  })
}

function storeExpiry(make: () => Promise<StoreSubject>): void {
  describe('expiry', () => {
    it('hides an entry from every reader from its time on', async () => {
      const { store, clock } = await make()
      const now = clock.now()
      await store.commit({
        set: [
          { key: ['a', 'x', 1], value: 1, expiresAt: now - 1 },
          { key: ['a', 'x', 2], value: 2, expiresAt: now + 60_000 },
          { key: ['a', 'x', 3], value: 3 },
        ],
      })
      expect(
        (
          await store.get([
            ['a', 'x', 1],
            ['a', 'x', 2],
          ])
        ).map((entry) => entry?.value ?? null),
      ).toEqual([null, 2])
      expect(
        (await store.list({ prefix: ['a', 'x'], limit: 2 })).map((entry) => entry.value),
      ).toEqual([2, 3])
      expect(await store.commit({ check: [{ key: ['a', 'x', 1], version: null }] })).toBe(true)
      expect(await store.commit({ check: [{ key: ['a', 'x', 2], version: null }] })).toBe(false)
      const leased = (await store.get([['a', 'x', 2]]))[0]?.version ?? expect.fail()
      await clock.advance(60_000)
      // A lease that has ended allows nothing any more, although it was not swept yet.
      expect(
        await store.commit({
          check: [{ key: ['a', 'x', 2], version: leased }],
          set: [{ key: ['a', 'x', 4], value: 4 }],
        }),
      ).toBe(false)
      expect(
        (await store.list({ prefix: ['a', 'x'], limit: 9 })).map((entry) => entry.value),
      ).toEqual([3])
      expect(
        (await store.list({ prefix: ['a', 'x'], limit: 9, reverse: true })).map(
          (entry) => entry.value,
        ),
      ).toEqual([3])
      expect(
        await store.commit({
          check: [{ key: ['a', 'x', 2], version: null }],
          add: [{ key: ['a', 'x', 2], amount: 5 }],
        }),
      ).toBe(true)
      expect((await store.get([['a', 'x', 2]]))[0]?.value).toBe(5)
      await store.close()
    })

    it('drops the expiry of an entry that is set again without one, and keeps that of a counter', async () => {
      const { store, clock } = await make()
      const now = clock.now()
      await store.commit({
        set: [
          { key: ['a', 'x', 1], value: 1, expiresAt: now + 1_000 },
          { key: ['a', 'x', 2], value: 1, expiresAt: now + 1_000 },
        ],
      })
      await store.commit({
        set: [{ key: ['a', 'x', 1], value: 2 }],
        add: [{ key: ['a', 'x', 2], amount: 1 }],
      })
      expect((await store.get([['a', 'x', 2]]))[0]?.value).toBe(2)
      await clock.advance(1_000)
      expect(
        (
          await store.get([
            ['a', 'x', 1],
            ['a', 'x', 2],
          ])
        ).map((entry) => entry?.value ?? null),
      ).toEqual([2, null])
      await store.close()
    })

    it('stays right while many entries expire and are swept', async () => {
      const { store, clock } = await make()
      const now = clock.now()
      await store.commit({
        set: Array.from({ length: 500 }, (_, i) => ({
          key: ['a', 'x', i],
          value: i,
          expiresAt: i % 2 ? now + 600_000 : now - 1,
        })),
      })
      for (let i = 0; i < 20; i++) {
        await clock.advance(1_000)
        await store.commit({ set: [{ key: ['a', 'y'], value: i }] })
      }
      expect(await store.list({ prefix: ['a', 'x'], limit: 1_000 })).toHaveLength(250)
      await store.close()
    })
  })
}

function storeLife(make: () => Promise<StoreSubject>): void {
  describe('close and open', () => {
    it('can be closed more than once, and rejects calls afterwards', async () => {
      const { store } = await make()
      const late = store.commit({ set: [{ key: ['a'], value: 1 }] })
      await Promise.all([store.close(), store.close()])
      await store.close()
      expect(await late).toBe(true)
      await expect(store.get([['a']])).rejects.toThrow('closed')
      await expect(store.list({ prefix: [], limit: 1 })).rejects.toThrow('closed')
      await expect(store.commit({})).rejects.toThrow('closed')
    })

    it('has the written entries when it is opened again, and gives new versions', async () => {
      const { store, reopen } = await make()
      await store.commit({
        set: [
          { key: ['a', 'é', 1.5], value: { kept: true } },
          { key: ['a', 'gone'], value: 1 },
        ],
        add: [{ key: ['a', 'n'], amount: 3 }],
      })
      const [present, deleted] = await store.get([
        ['a', 'é', 1.5],
        ['a', 'gone'],
      ])
      await store.commit({ delete: [['a', 'gone']] })
      const again = reopen ? await store.close().then(reopen) : store
      expect(
        await again.get([
          ['a', 'é', 1.5],
          ['a', 'gone'],
        ]),
      ).toEqual([present, null])
      expect((await again.list({ prefix: ['a'], limit: 9 })).map((entry) => entry.value)).toEqual([
        3,
        { kept: true },
      ])
      await again.commit({ set: [{ key: ['a', 'gone'], value: 1 }] })
      expect((await again.get([['a', 'gone']]))[0]?.version).not.toBe(deleted?.version)
      await again.close()
    })
  })
}
