import { expect, it } from 'vitest'
import type { Json } from '../../src/kernel/json.ts'
import { jsonWeight, weightInSlices } from '../../src/kernel/json-pieces.ts'
import { Pace, SliceScheduler } from '../../src/kernel/pace.ts'

function slowPace(): { readonly pace: Pace; readonly rests: () => number } {
  let [now, rests] = [0, 0]
  const scheduler = new SliceScheduler(async () => void rests++)
  return { pace: new Pace({ now: () => (now += 5), scheduler }), rests: () => rests }
}

it('a large value is weighed in slices, and weighs as much as at once', async () => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => index)
  const values: Json[] = [
    { list: Array.from({ length: 400 }, () => numbers), text: 'x'.repeat(2_000_000) },
    Array.from({ length: 400 }, (_, index) => ({ [`name ${index}`]: numbers, missing: null })),
  ]
  for (const value of values) {
    const { pace, rests } = slowPace()
    expect(await weightInSlices(value, Infinity, pace)).toBe(jsonWeight(value, Infinity))
    expect(rests()).toBeGreaterThan(400)
    const weight = await weightInSlices(value, 1_000_000, pace)
    expect(weight).toBeGreaterThanOrEqual(1_000_000)
    expect(weight).toBeLessThan(4_100_000)
  }
})

it('a small value and a text are weighed at once', () => {
  const pace = new Pace({ now: () => 0 })
  expect(weightInSlices({ a: 1, b: 'two' }, Infinity, pace)).toBe(
    jsonWeight({ a: 1, b: 'two' }, Infinity),
  )
  expect(weightInSlices('x'.repeat(2_000_000), Infinity, pace)).toBe(2_000_003)
})

it('a circle is refused, however wide it is', async () => {
  const circle: Json[] = []
  for (let index = 0; index < 3; index++) circle.push(circle)
  await expect(
    (async () => weightInSlices(circle, Infinity, new Pace({ now: () => 0 })))(),
  ).rejects.toThrow(RangeError)
})
