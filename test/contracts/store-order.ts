import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Key } from '../../src/kernel/key.ts'
import type { Range, Store } from '../../src/ports/store.ts'
import type { StoreSubject } from './store-subject.ts'

/** Keys in the order that every Store keeps them in: strings by UTF-8 bytes, then numbers by value. */
const ORDERED: readonly Key[] = [
  ['a', ''],
  ['a', '', 'x'],
  ['a', '\u0000'],
  ['a', '\u0001'],
  ['a', '\u0001', 'x'],
  ['a', '\u0002'],
  ['a', '\t'],
  ['a', 'A'],
  ['a', 'a'],
  ['a', 'a', -Number.MAX_VALUE],
  ['a', 'a', -10],
  ['a', 'a', -9.5],
  ['a', 'a', -Number.MIN_VALUE],
  ['a', 'a', 0],
  ['a', 'a', Number.MIN_VALUE],
  ['a', 'a', 0.25],
  ['a', 'a', 9],
  ['a', 'a', 10],
  ['a', 'a', 10, 'x'],
  ['a', 'a', 2 ** 53],
  ['a', 'a', Number.MAX_VALUE],
  ['a', 'a\u0000b'],
  ['a', 'a b'],
  ['a', 'aa'],
  ['a', '\u007f'],
  ['a', 'é'],
  ['a', '漢'],
  ['a', '\ue000'],
  ['a', '\uffff'],
  ['a', '\u{10000}'],
  ['a', '\u{1f41f}'],
  ['a', 0],
  ['aa', 'x'],
  ['b', 'x'],
]

export function storeOrder(make: () => Promise<StoreSubject>): void {
  describe('order', () => {
    let store: Store
    beforeEach(async () => {
      store = (await make()).store
      const shuffled = ORDERED.map((key, i) => ({ key, value: i })).toSorted(
        (a, b) => ((a.value * 17) % 34) - ((b.value * 17) % 34),
      )
      await store.commit({ set: shuffled })
    })
    afterEach(() => store.close())
    const values = async (range: Omit<Range, 'limit'> & { limit?: number }): Promise<unknown[]> =>
      (await store.list({ limit: 100, ...range })).map((entry) => entry.value)
    const upTo = (from: number, to: number): number[] =>
      Array.from({ length: to - from }, (_, i) => from + i)

    it('lists keys part by part, in either direction', async () => {
      const entries = await store.list({ prefix: [], limit: 100 })
      expect(entries.map((entry) => entry.key)).toEqual(ORDERED)
      expect(await values({ prefix: [], reverse: true })).toEqual(
        upTo(0, ORDERED.length).toReversed(),
      )
    })

    it('compares prefixes by whole parts', async () => {
      expect(await values({ prefix: ['a'] })).toEqual(upTo(0, 32))
      expect(await values({ prefix: ['a', 'a'] })).toEqual(upTo(9, 21))
      expect(await values({ prefix: ['a', ''] })).toEqual([1])
      expect(await values({ prefix: ['a', '\u0001'] })).toEqual([4])
      expect(await values({ prefix: ['a', 'a', 10] })).toEqual([18])
      expect(await values({ prefix: ['a', 'x'] })).toEqual([])
    })

    it('treats -0 as 0', async () => {
      expect((await store.get([['a', 'a', -0]]))[0]?.value).toBe(13)
      expect(await values({ prefix: ['a', 'a'], after: ['a', 'a', -0], limit: 1 })).toEqual([14])
    })

    it('excludes both bounds of a range', async () => {
      const range = { prefix: ['a', 'a'], after: ['a', 'a', -10], before: ['a', 'a', 10] }
      expect(await values(range)).toEqual(upTo(11, 17))
      expect(await values({ ...range, reverse: true })).toEqual(upTo(11, 17).toReversed())
      expect(await values({ ...range, reverse: true, limit: 2 })).toEqual([16, 15])
      expect(await values({ ...range, limit: 2 })).toEqual([11, 12])
    })

    it('accepts absent keys and keys outside the prefix as bounds, and empty ranges', async () => {
      expect(await values({ prefix: ['a', 'a'], after: ['a', 'a', 3], limit: 1 })).toEqual([16])
      expect(
        await values({ prefix: ['a', 'a'], after: ['a', 'a', 10], before: ['a', 'a', 9] }),
      ).toEqual([])
      expect(await values({ prefix: ['a', 'a'], after: ['a'], before: ['b'] })).toEqual(upTo(9, 21))
      expect(await values({ prefix: ['a', 'a'], after: ['b'] })).toEqual([])
      expect(await values({ prefix: ['a', 'a'], before: ['a', 'A'], reverse: true })).toEqual([])
    })

    it('gives everything once, page by page, in either direction', async () => {
      for (const reverse of [false, true]) {
        const seen: unknown[] = []
        let last: Key | undefined
        for (;;) {
          const page = await store.list({
            prefix: ['a'],
            limit: 5,
            reverse,
            ...(last && (reverse ? { before: last } : { after: last })),
          })
          expect(page.length).toBeLessThanOrEqual(5)
          if (page.length === 0) break
          seen.push(...page.map((entry) => entry.value))
          last = page.at(-1)?.key
        }
        expect(seen).toEqual(reverse ? upTo(0, 32).toReversed() : upTo(0, 32))
      }
    })

    it('refuses a limit that is not a positive integer', async () => {
      for (const limit of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
        await expect(store.list({ prefix: [], limit })).rejects.toThrow(RangeError)
    })

    it('refuses parts of keys that have no place in the order', async () => {
      for (const key of [['a', Number.NaN], ['a', Number.POSITIVE_INFINITY], ['a', '\ud800'], []]) {
        await expect(store.commit({ set: [{ key, value: 1 }] })).rejects.toThrow(Error)
      }
      expect(await store.list({ prefix: [], limit: 100 })).toHaveLength(ORDERED.length)
    })
  })
}
