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
