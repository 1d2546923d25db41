import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ExpiryQueue } from '../../../src/kernel/table/expiry-queue.ts'

it('gives the keys that are due, the earliest first, and no others', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (times, now) => {
      const queue = new ExpiryQueue()
      for (const [index, time] of times.entries()) queue.add(String(index), time)
      const due: number[] = []
      for (let key = queue.takeDue(now); key !== null; key = queue.takeDue(now))
        due.push(times[Number(key)] ?? NaN)
      expect(due).toEqual(times.filter((time) => time <= now).toSorted((a, b) => a - b))
      expect(queue.size).toBe(times.length - due.length)
    }),
  )
})

it('a key whose time is put off again and again does not fill it', () => {
  const queue = new ExpiryQueue()
  const keys = new Map([
    ['first', 1],
    ['last', 100_000],
  ])
  for (const [key, time] of keys) queue.add(key, time)
  let most = 0
  for (let time = 1; time < 20_000; time++) {
    keys.set('first', time)
    queue.add('first', time)
    queue.tidy(keys.size, (key) => keys.get(key) ?? null)
    most = Math.max(most, queue.size)
  }
  expect(most).toBeLessThan(2_000)
  const due: string[] = []
  for (let key = queue.takeDue(100_000); key !== null; key = queue.takeDue(100_000)) due.push(key)
  expect(new Set(due)).toEqual(new Set(keys.keys()))
  expect(due.at(-1)).toBe('last')
})
