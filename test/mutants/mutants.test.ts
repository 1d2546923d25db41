import { expect, it } from 'vitest'
import { readMutants } from './mutants.ts'

it('there are at least 180 bugs with different names', () => {
  const mutants = readMutants()
  expect(mutants.length).toBeGreaterThanOrEqual(180)
  expect(new Set(mutants.map(({ name }) => name)).size).toBe(mutants.length)
})
