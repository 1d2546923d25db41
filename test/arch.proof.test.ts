import { describe, expect, test } from 'vitest'
import { findAmbientUses } from './support/ambient.ts'
import { findAddressParts } from './support/sources/base-urls.ts'
import { findImports } from './support/sources/imports.ts'
import { findOutgoing } from './support/sources/outgoing.ts'
import { findRegexes } from './support/sources/regexes.ts'
import { readSources } from './support/sources/sources.ts'
import type { Sources } from './support/sources/sources.ts'
import { findGrammarNames } from './support/sources/style.ts'
import { findStoreCalls } from './support/stores/store-calls.ts'

// Proves of examples, measurements and tests what `arch.test.ts` proves of the package, and that the
// checks of sources pass over no file that they have to read: files have to be parsed, which takes
// longer than one waits for a unit test.

test('the name of a local says what its value is, not where it comes from', () => {
  const beside = readSources('examples', 'bench', 'test')
  expect(beside.size).toBeGreaterThan(500)
  // A short function of a test may name its only value so.
  expect(findGrammarNames(beside).filter((name) => !name.endsWith(': one'))).toEqual([])
})

describe('a check that first looks for words passes over no file', () => {
  // A comment with such words makes the check parse the file.
  const WORDS =
    "// ({at, given: fetch('node:http') .origin \"//\" store.get new RegExp Math.random() import('x'"
  const sources = readSources('src', 'adapters', 'examples')
  const parsed: Sources = new Map([...sources].map(([path, text]) => [path, `${text}\n${WORDS}\n`]))

  test.each<[what: string, check: (sources: Sources) => unknown]>([
    ['names of locals', findGrammarNames],
    ['time and randomness', findAmbientUses],
    ['parts of addresses', findAddressParts],
    ['ways out', findOutgoing],
    ['regular expressions', findRegexes],
    ['calls of the store', findStoreCalls],
    ['imports', (all) => findImports(all, {})],
  ])('%s', (_, check) => {
    expect(sources.size).toBeGreaterThan(700)
    expect(check(sources)).toEqual(check(parsed))
  })
})
