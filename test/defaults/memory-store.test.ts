import { expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { storeContract } from '../contracts/store.ts'
import { createFakeClock } from '../support/fake-clock.ts'

storeContract('createMemoryStore', async () => {
  const clock = createFakeClock()
  return { store: createMemoryStore({ clock }), clock }
})

it('uses the system clock without options', async () => {
  const store = createMemoryStore()
  await store.commit({ set: [{ key: ['a', 1], value: 1, expiresAt: Date.now() - 1 }, { key: ['a', 2], value: 2, expiresAt: Date.now() + 60_000 }] })
  expect((await store.list({ prefix: ['a'], limit: 5 })).map((entry) => entry.value)).toEqual([2])
})
