import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DEEPEST, isTooDeep, parseShallowJson } from '../../src/kernel/json-depth.ts'

// Proves that JSON from elsewhere is refused for its depth before it is parsed.

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`

test('64 levels are parsed, and 65 are refused', () => {
  expect(JSON.stringify(parseShallowJson(nested(DEEPEST)))).toBe(nested(DEEPEST))
  expect(() => parseShallowJson(nested(DEEPEST + 1))).toThrow('JSON is deeper than 64 levels')
  expect(() => parseShallowJson('['.repeat(1_000_000))).toThrow('JSON is deeper than 64 levels')
})

test('brackets in texts and one after another are not depth', () => {
  for (const text of [`["${'['.repeat(100)}"]`, `["\\"${'{'.repeat(100)}"]`])
    expect(parseShallowJson(text)).toEqual([JSON.parse(text)[0]])
  expect(isTooDeep(`[${'[],'.repeat(100)}{}]`)).toBe(false)
})

test('any JSON that is not deeper is parsed as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 8 }), (text) => {
      expect(parseShallowJson(text)).toEqual(JSON.parse(text))
    }),
  )
})
