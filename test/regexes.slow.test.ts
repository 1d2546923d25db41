import { expect, test } from 'vitest'
import { findRegexes, findSlow } from './support/sources/regexes.ts'
import { readSources } from './support/sources/sources.ts'

const { found, unread } = findRegexes(readSources('src', 'adapters'))

/** Patterns that are made at run time, each with the reason why it is linear. */
const MADE: readonly string[] = []

test('every regular expression of the package can be parsed', () => {
  expect(found.length).toBeGreaterThan(350)
  expect(unread).toEqual(MADE)
})

test('no regular expression takes more than linear time on any text', () => {
  expect(findSlow(found)).toEqual([])
})

const planted = [
  String.raw`const a = / +$/`,
  String.raw`const a = /(\w+\s?)*$/`,
  String.raw`const a = /^(a+)+$/`,
  String.raw`const a = /\[[^\]]*\]/g`,
  String.raw`const a = /\s*[-–]\s*$/`,
  String.raw`const a = /\d[\d.,\s]*\s?€/`,
  String.raw`const a = /^x\s*\s*y/`,
  String.raw`const a = /^#{1,3} +([^\n]{1,300})$/m`,
  'const a = /```\\s*\\n([\\s\\S]*?)\\n\\s*```/',
  String.raw`const a = new RegExp('[.,]+$')`,
  'const SPACE = String.raw`\\s*`\nconst a = new RegExp(`${SPACE}-${SPACE}$`)',
  'const ANY = /(?:a|a)*b/\nconst a = new RegExp(ANY.source)',
]

test.each(planted)('planted: %s', (text) => {
  const { found: regexes } = findRegexes(new Map([['src/planted.ts', text]]))
  expect(findSlow(regexes).length).toBeGreaterThan(0)
})

test('planted: a pattern that is made from unknown text', () => {
  expect(
    findRegexes(new Map([['src/planted.ts', 'const a = (word: string) => new RegExp(word)']]))
      .unread,
  ).toHaveLength(1)
})
