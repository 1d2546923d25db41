import { expect, test } from 'vitest'
import { KeyedLock } from '../../src/kernel/concurrency.ts'

test('work of one key runs in turns, also after a failure; other keys do not wait, and no key is kept', async () => {
  const lock = new KeyedLock()
  const seen: string[] = []
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())
  const work = (name: string, gate: Promise<void>) => async () => {
    seen.push(`${name} begins`)
    await gate
    seen.push(`${name} ends`)
    if (name === 'a1') throw new Error('failed')
    return name
  }
  const [first, second, third] = gates
  if (!first || !second || !third) throw new Error('no gates')
  const all = Promise.allSettled([
    lock.run('a', work('a1', first.promise)),
    lock.run('a', work('a2', second.promise)),
    lock.run('b', work('b1', third.promise)),
  ])
  third.resolve()
  second.resolve()
  await lock.run('b', async () => undefined)
  expect(seen).toEqual(['a1 begins', 'b1 begins', 'b1 ends'])
  expect(lock.size).toBe(1)
  first.resolve()
  expect((await all).map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual([
    'failed',
    'a2',
    'b1',
  ])
  expect(seen).toEqual(['a1 begins', 'b1 begins', 'b1 ends', 'a1 ends', 'a2 begins', 'a2 ends'])
  await Promise.resolve()
  expect(lock.size).toBe(0)
})
