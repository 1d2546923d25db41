import { describe, expect, it } from 'vitest'
import type { SnapshotEntry, Store } from '../../src/ports/store.ts'
import type { StoreSubject } from './store-subject.ts'

/** The tests of a store that has snapshots; a store without them is not tested. */
export function storeSnapshot(make: () => Promise<StoreSubject>): void {
  const read = async (store: Store, prefixes: SnapshotEntry['key'][]): Promise<SnapshotEntry[]> => {
    const entries: SnapshotEntry[] = []
    for await (const page of store.snapshot?.(prefixes) ?? []) entries.push(...page)
    return entries
  }
  describe('snapshots', () => {
    it('show all entries as they were at one moment, while others write', async () => {
      const { store } = await make()
      if (!store.snapshot) return store.close()
      const set = (value: number) =>
        Array.from({ length: 450 }, (_, i) => ({ key: ['a', 'x', i], value }))
      await store.commit({ set: set(1) })
      const seen: unknown[] = []
      for await (const page of store.snapshot([[]])) {
        if (seen.length === 0)
          await store.commit({ set: [...set(2), { key: ['b', 'new'], value: 1 }] })
        seen.push(...page.map(({ json }) => JSON.parse(json)))
      }
      expect(seen).toEqual(Array.from({ length: 450 }, () => 1))
      expect(await read(store, [['a']])).toHaveLength(450)
      expect((await read(store, [[]])).at(-1)).toEqual({
        key: ['b', 'new'],
        json: '1',
        expiresAt: null,
      })
      await store.close()
    })

    it('have values unchanged, also large ones, and the times when they expire', async () => {
      const { store, clock } = await make()
      if (!store.snapshot) return store.close()
      const large = 'é\u0000"'.repeat(300_000)
      const later = clock.now() + 5_000
      await store.commit({
        set: [
          { key: ['a', 'é', 1.5], value: { b: 1, a: [null, large] } },
          { key: ['a', 'gone'], value: 1, expiresAt: clock.now() - 1 },
          { key: ['a', 'soon'], value: 'x', expiresAt: later },
          { key: ['b'], value: 2 },
        ],
        add: [{ key: ['a', 'n'], amount: 3 }],
      })
      expect(await read(store, [['b', 'none'], ['a']])).toEqual([
        { key: ['a', 'n'], json: '3', expiresAt: null },
        { key: ['a', 'soon'], json: '"x"', expiresAt: later },
        {
          key: ['a', 'é', 1.5],
          json: JSON.stringify({ b: 1, a: [null, large] }),
          expiresAt: null,
        },
      ])
      await store.close()
    })

    it('may be left half read, and the store works on', async () => {
      const { store } = await make()
      if (!store.snapshot) return store.close()
      await store.commit({
        set: Array.from({ length: 450 }, (_, i) => ({ key: ['a', i], value: i })),
      })
      for (let i = 0; i < 20; i++) for await (const _ of store.snapshot([['a']])) break
      await store.commit({ set: [{ key: ['a', 1], value: 'new' }] })
      expect(await read(store, [['a']])).toHaveLength(450)
      await store.close()
    })
  })
}
