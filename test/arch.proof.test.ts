import { expect, test } from 'vitest'
import { readSources } from './support/sources/sources.ts'
import { findGrammarNames } from './support/sources/style.ts'

// Proves of examples, measurements and tests what `arch.test.ts` proves of the package: they have
// to be parsed, which takes longer than one waits for a unit test.

test('the name of a local says what its value is, not where it comes from', () => {
  const beside = readSources('examples', 'bench', 'test')
  expect(beside.size).toBeGreaterThan(500)
  expect(findGrammarNames(beside)).toEqual([])
})
