import { monotonicFactory } from 'ulid'
import { expect, it } from 'vitest'
import { createIds } from '../../src/kernel/id.ts'
import { seededRandom } from '../support/fakes/seeded-random.ts'

it('ids have their kind and sort by age, even if the clock stands still or goes back', () => {
  let now = Date.UTC(2026, 0, 1)
  const ids = createIds({ now: () => now, random: seededRandom() })
  const issued = Array.from({ length: 300 }, (_, i) => {
    if (i === 100) now -= 60_000
    if (i === 200) now += 120_000
    return ids('task')
  })
  expect(issued.every((id) => /^task_[0-9A-HJKMNP-TV-Z]{26}$/.test(id))).toBe(true)
  expect(new Set(issued).size).toBe(300)
  expect(issued.toSorted()).toEqual(issued)
})

it('the same time and random numbers give the same ids', () => {
  const make = (seed: number) =>
    createIds({ now: () => 1_000_000, random: seededRandom(seed) })('x')
  expect(make(1)).toBe(make(1))
  expect(make(1)).not.toBe(make(2))
})

it('ids are those of the package `ulid`', () => {
  let now = 1_000_000
  const own = createIds({ now: () => now, random: seededRandom(7) })
  const bytes = seededRandom(7)
  let drawn: number[] = []
  const ulid = monotonicFactory(() => {
    if (drawn.length === 0) drawn = [...bytes(64)]
    return (drawn.shift() ?? NaN) / 256
  })
  for (let count = 0; count < 2_000; count++) {
    if (count % 70 === 0) now += (count % 3) - 1
    expect(own('x')).toBe(`x_${ulid(now)}`)
  }
})

it('no id repeats where the numbers of a millisecond end', () => {
  const last = createIds({ now: () => 1, random: (length) => new Uint8Array(length).fill(255) })
  expect(last('x')).toMatch(/Z{16}$/)
  expect(() => last('x')).toThrow(RangeError)
})
