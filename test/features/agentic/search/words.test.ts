import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  countOf,
  countOfPrefix,
  countWords,
  wordsOf,
} from '../../../../src/features/agentic/search/rank.ts'

test.each([
  ['Fountain Pens, and INK!', ['fountain', 'pen', 'and', 'ink']],
  ['Café Müller', ['cafe', 'muller']],
  [
    'libraries boxes glasses bus this analysis',
    ['library', 'box', 'glass', 'bus', 'this', 'analysis'],
  ],
  ['A4 0.5mm RFC-9110', ['a4', '0', '5mm', 'rfc', '9110']],
  ['万年筆のインク', ['万年', '年筆', '筆の', 'のイ', 'イン', 'ンク']],
  ['墨', ['墨']],
  ['', []],
])('%j', (text, words) => {
  expect(wordsOf(text)).toEqual(words)
})

test('a text that grows very much without its joined letters is cut', () => {
  expect(wordsOf('\ufdfa'.repeat(900)).join('').length).toBeLessThan(4 * 900)
  expect(wordsOf('한국어'.repeat(10))).toEqual(['한국어'.repeat(10).normalize('NFKD').slice(0, 40)])
  expect(wordsOf('việt ếế')).toEqual(['viet', 'ee'])
})

test('a query is divided into words like the page, whatever its case', () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[a-zäöü]{1,30}$/u),
      (word) => void expect(wordsOf(word.toUpperCase())).toEqual(wordsOf(word)),
    ),
  )
})

test('the count of a word is read without parsing all counts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.stringMatching(/^[a-c]{1,3}$/), { maxLength: 60 }),
      fc.stringMatching(/^[a-c]{1,3}$/),
      (words, term) => {
        const counts = countWords(words)
        expect(countOf(counts, term)).toBe(words.filter((word) => word === term).length)
        expect(countOfPrefix(counts, term) > 0).toBe(words.some((word) => word.startsWith(term)))
      },
    ),
  )
})

test('the most frequent words of a text with very many words are kept', () => {
  const counts = countWords([
    ...Array.from({ length: 5_000 }, (_, index) => `rare${index}`),
    'common',
    'common',
  ])
  expect(countOf(counts, 'common')).toBe(2)
  expect(counts.length).toBeLessThan(10_000)
})
