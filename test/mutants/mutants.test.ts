import { expect, it } from 'vitest'
import { plantAll, readMutants } from './mutants.ts'

const mutants = readMutants()

it('each bug can be planted in one place, and names test files that exist', () => {
  expect(plantAll(mutants)).toHaveLength(mutants.length)
})

it('there are at least 180 bugs with different names', () => {
  expect(mutants.length).toBeGreaterThanOrEqual(180)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
