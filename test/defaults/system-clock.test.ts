import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { cryptoRandom, systemClock } from '../../src/defaults/system-clock.ts'

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000 })
})
afterEach(() => {
  vi.useRealTimers()
})

it('the clock tells the time and sleeps for the wanted time', async () => {
  const woken = systemClock.sleep(500).then(() => systemClock.now())
  await vi.advanceTimersByTimeAsync(500)
  expect(await woken).toBe(1_500)
  const atOnce = systemClock.sleep(-5).then(() => systemClock.now())
  await vi.advanceTimersByTimeAsync(1)
  expect(await atOnce).toBeLessThanOrEqual(1_501)
})

it('a sleep may be longer than the longest timer', async () => {
  const DAYS_40 = 40 * 86_400_000
  let awake = false
  const woken = systemClock.sleep(DAYS_40).then(() => {
    awake = true
  })
  await vi.advanceTimersByTimeAsync(DAYS_40 - 1_000)
  expect(awake).toBe(false)
  await vi.advanceTimersByTimeAsync(1_001)
  await woken
  expect(awake).toBe(true)
})

it('a sleep ends by the time of the clock, also if the timer fires early', async () => {
  let awake = false
  const woken = systemClock.sleep(500).then(() => (awake = true))
  await vi.advanceTimersByTimeAsync(499)
  // Timers use a time of their own, which is rounded differently.
  vi.setSystemTime(1_498)
  await vi.advanceTimersByTimeAsync(1)
  expect([systemClock.now(), awake]).toEqual([1_499, false])
  await vi.advanceTimersByTimeAsync(1)
  await woken
  expect(systemClock.now()).toBe(1_500)
})

it('a sleep does not take longer when the clock is set back', async () => {
  let awake = false
  const woken = systemClock.sleep(500).then(() => (awake = true))
  vi.setSystemTime(-3_600_000)
  await vi.advanceTimersByTimeAsync(500)
  await woken
  expect(awake).toBe(true)
})

it('a sleep rejects with the reason of an abort, before or during it, and leaves no timer behind', async () => {
  await expect(systemClock.sleep(10, AbortSignal.abort(new Error('before')))).rejects.toThrow(
    'before',
  )
  const stop = new AbortController()
  const slept = systemClock.sleep(10_000, stop.signal)
  stop.abort(new Error('meanwhile'))
  await expect(slept).rejects.toThrow('meanwhile')
  expect(vi.getTimerCount()).toBe(0)
})

it('more random bytes can be filled than one call of the runtime gives', () => {
  const bytes = cryptoRandom(200_000)
  expect(bytes).toHaveLength(200_000)
  const tail = bytes.subarray(190_000)
  expect(new Set(tail).size).toBe(256)
  expect(cryptoRandom(0)).toHaveLength(0)
})
