import { expect, it } from 'vitest'
import { plantAll, readMutants } from './mutants.ts'

it('each bug can be planted in one place, and names test files that exist', () => {
  const mutants = readMutants()
  expect(plantAll(mutants)).toHaveLength(mutants.length)
})
