import { expect, test } from 'vitest'
import { checkExamples, type EntryExport } from './support/examples.ts'
import { entries } from './support/manifest.ts'
import { publicExports } from './support/public-api.ts'
import { readSources } from './support/sources.ts'

const sources = readSources('src', 'adapters', 'test/contracts')
const exports = entries.flatMap(({ name, source }) =>
  publicExports(source, sources).map((one) => ({ ...one, entry: name })),
)
const planted = (example: string): EntryExport => ({
  entry: 'seine',
  name: 'planted',
  declaredIn: 'src/index.ts',
  documented: true,
  examples: [example],
})

test('every example of a public export type-checks', () => {
  expect(exports.some(({ examples }) => examples.length > 0)).toBe(true)
  expect(checkExamples(exports)).toEqual([])
})

test('planted: a wrong type, a missing import and a syntax error', () => {
  const found = checkExamples([
    planted('const x: string = 1'),
    planted('nowhere()'),
    planted('const = 1'),
    planted("const url: URL = new URL('http://localhost/')"),
  ])
  expect(found.some((text) => text.includes("'number' is not assignable to type 'string'"))).toBe(
    true,
  )
  expect(found.some((text) => text.includes("Cannot find name 'nowhere'"))).toBe(true)
  expect(found.length).toBeGreaterThanOrEqual(3)
})
