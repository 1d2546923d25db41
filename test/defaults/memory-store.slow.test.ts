import { expect, it, vi } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { storeContract } from '../contracts/store.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

storeContract('createMemoryStore', async () => {
  const clock = createFakeClock()
  return { store: createMemoryStore({ clock }), clock }
})

it('a store without options uses the system clock', async () => {
  const store = createMemoryStore()
  await store.commit({
    set: [
      { key: ['a', 1], value: 1, expiresAt: Date.now() - 1 },
      { key: ['a', 2], value: 2, expiresAt: Date.now() + 60_000 },
    ],
  })
  expect((await store.list({ prefix: ['a'], limit: 5 })).map((entry) => entry.value)).toEqual([2])
})

it('a read does not wait for reads that began before it', async () => {
  /** The number of microtask turns until the read of another account is answered. */
  const turnsBeside = async (others: number): Promise<number> => {
    const store = createMemoryStore()
    for (const account of ['many', 'one'])
      await store.commit({
        set: Array.from({ length: 100 }, (_, i) => ({ key: [account, 'x', i], value: i })),
      })
    const many = Array.from({ length: others }, () =>
      store.list({ prefix: ['many', 'x'], limit: 100 }),
    )
    const turn = { count: 0, isOver: false }
    const one = store.list({ prefix: ['one', 'x'], limit: 100 }).then(() => (turn.isOver = true))
    for (; !turn.isOver; turn.count++) await Promise.resolve()
    await Promise.all([...many, one])
    return turn.count
  }
  const alone = await turnsBeside(0)
  expect(alone).toBeLessThan(5)
  expect(await turnsBeside(1_000)).toBe(alone)
})

it('a commit goes on with the sweep where the last one ended', async () => {
  const clock = createFakeClock()
  const store = createMemoryStore({ clock })
  const expiresAt = clock.now() + 1_000
  const put = (first: number, count: number) =>
    store.commit({
      set: Array.from({ length: count }, (_, i) => ({
        key: ['a', first + i],
        value: 1,
        expiresAt,
      })),
    })
  await put(0, 5_000)
  // From its first key on, each walk steps over all that is gone before it.
  const walks = vi.spyOn(Set.prototype, 'values')
  const loops = vi.spyOn(Set.prototype, Symbol.iterator)
  for (let i = 0; i < 100; i++) await put(5_000 + i, 1)
  const count = walks.mock.calls.length + loops.mock.calls.length
  walks.mockRestore()
  loops.mockRestore()
  expect(count).toBeLessThan(10)
})
