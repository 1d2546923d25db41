import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/defaults/memory-store.ts'
import { createStoreLimiter } from '../../src/defaults/store-limiter.ts'
import type { Store } from '../../src/ports/store.ts'
import { createRecords } from '../../src/features/records.ts'
import { createSqliteStore } from '../../adapters/sqlite/index.ts'
import { limiterContract } from '../contracts/limiter.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'
import { recordCalls } from '../support/stores/recorded-store.ts'

limiterContract('createStoreLimiter on memory', async () => {
  const clock = createFakeClock()
  return {
    limiter: createStoreLimiter({ records: createRecords(createMemoryStore({ clock })), clock }),
    clock,
  }
})

limiterContract('createStoreLimiter on SQLite', async () => {
  const clock = createFakeClock()
  return {
    limiter: createStoreLimiter({
      records: createRecords(createSqliteStore({ path: ':memory:', clock })),
      clock,
    }),
    clock,
  }
})

const rate = { limit: 60, periodMs: 60_000, burst: 9 }

describe('several limiters on one store', () => {
  it('together admit as many calls as one limiter', async () => {
    const clock = createFakeClock()
    const store = createMemoryStore({ clock })
    const limiters = Array.from({ length: 5 }, () =>
      createStoreLimiter({ records: createRecords(store), clock }),
    )
    const outcomes = await Promise.all(
      Array.from({ length: 500 }, (_, i) => limiters[i % 5]?.take('k', rate)),
    )
    expect(outcomes.filter((one) => one?.allowed)).toHaveLength(10)
  })

  it('write little for a burst, nothing for refused calls, and leave no entries behind', async () => {
    const clock = createFakeClock()
    const { store, calls } = recordCalls(createMemoryStore({ clock }))
    const limiter = createStoreLimiter({ records: createRecords(store), clock })
    const burst = () => Promise.all(Array.from({ length: 500 }, () => limiter.take('k', rate)))
    await burst()
    expect(calls.filter((name) => name === 'commit').length).toBeLessThanOrEqual(2)
    const before = calls.filter((name) => name === 'commit').length
    await burst()
    expect(calls.filter((name) => name === 'commit').length).toBe(before)
    await clock.advance(60_000)
    expect(await store.list({ prefix: ['~'], limit: 10 })).toEqual([])
  })

  it('reject every waiting call when the store fails, and work again when the store does', async () => {
    const clock = createFakeClock()
    const base = createMemoryStore({ clock })
    let isDown = true
    const store: Store = {
      get: (keys) => (isDown ? Promise.reject(new Error('down')) : base.get(keys)),
      list: (range) => base.list(range),
      commit: (change) => base.commit(change),
      close: () => base.close(),
    }
    const limiter = createStoreLimiter({ records: createRecords(store), clock })
    const refused = await Promise.allSettled([limiter.take('k', rate), limiter.take('k', rate)])
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    expect((await limiter.take('k', rate)).allowed).toBe(true)
  })
})
