import { expect, it } from 'vitest'
import { createMemoryLimiter } from '../../src/defaults/memory-limiter.ts'
import { limiterContract } from '../contracts/limiter.ts'
import { createFakeClock } from '../support/fakes/fake-clock.ts'

limiterContract('createMemoryLimiter', async () => {
  const clock = createFakeClock()
  return { limiter: createMemoryLimiter({ clock }), clock }
})

it('above its bound the limiter forgets the bucket that was unused for the longest time', async () => {
  const limiter = createMemoryLimiter({ clock: createFakeClock(), maxKeys: 2 })
  const once = { limit: 1, periodMs: 1_000, burst: 0 }
  for (const key of ['a', 'b', 'a', 'c']) await limiter.take(key, once)
  expect((await limiter.take('a', once)).allowed).toBe(false)
  expect((await limiter.take('b', once)).allowed).toBe(true)
})
