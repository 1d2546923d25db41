import { expect, test } from 'vitest'
import { Semaphore } from '../../src/kernel/concurrency.ts'

test('permits are given in order, never more than exist, and not to callers that have aborted', async () => {
  const semaphore = new Semaphore(2)
  const begun: number[] = []
  const stop = new AbortController()
  const works = [0, 1, 2, 3, 4].map((nth) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const work = async () => {
      begun.push(nth)
      await promise
    }
    return { end: resolve, done: semaphore.run(work, nth === 3 ? stop.signal : undefined) }
  })
  expect(begun).toEqual([0, 1])
  stop.abort(new Error('gone'))
  await expect(works[3]?.done).rejects.toThrow('gone')
  works[0]?.end()
  await works[0]?.done
  expect(begun).toEqual([0, 1, 2])
  for (const { end } of works) end()
  await Promise.all([works[1]?.done, works[2]?.done, works[4]?.done])
  expect(begun).toEqual([0, 1, 2, 4])
})

test('work that throws returns its permit, and an aborted caller gets none', async () => {
  const semaphore = new Semaphore(1)
  const failing = semaphore.run(() => Promise.reject(new Error('broken')))
  const waiting = semaphore.run(async () => 'next')
  await expect(failing).rejects.toThrow('broken')
  expect(await waiting).toBe('next')
  const before = AbortSignal.abort(new Error('before'))
  await expect(semaphore.run(async () => 'never', before)).rejects.toThrow('before')
  expect(await semaphore.run(async () => 'free')).toBe('free')
})
