import { expect, it } from 'vitest'
import { Places } from '../../../adapters/playwright/places.ts'

const never = new AbortController().signal

it('gives places in order, no more than there are, and takes back those that nobody waits for any more', async () => {
  const places = new Places(2)
  const got: number[] = []
  const stop = new AbortController()
  const taking = [0, 1, 2, 3, 4].map((nth) =>
    places.take(nth === 3 ? stop.signal : never).then(() => got.push(nth)),
  )
  await Promise.all(taking.slice(0, 2))
  expect(got).toEqual([0, 1])
  stop.abort(new Error('gone'))
  await expect(taking[3]).rejects.toThrow('gone')
  places.give()
  await taking[2]
  places.give()
  await taking[4]
  expect(got).toEqual([0, 1, 2, 4])
  places.give()
  places.give()
  await places.take(never)
  await places.take(never)
  await expect(places.take(AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
})
