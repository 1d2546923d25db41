import { expect, test } from 'vitest'
import { Pace } from '../../../../src/kernel/pace.ts'
import {
  queryWords,
  rank,
  passage,
  countWords,
  wordsOf,
} from '../../../../src/features/agentic/search/rank.ts'
import { slowPace } from '../../../support/fakes/slow-pace.ts'

const pageOf = (name: string, title: string, text: string, position = 0) => {
  const words = wordsOf(text)
  const url = `https://pages.example.com/${name}`
  return {
    at: position,
    source: name,
    seq: 0,
    id: name,
    url,
    title,
    head: countWords(wordsOf(title)),
    address: countWords(wordsOf(url)),
    body: countWords(words),
    length: words.length,
    size: 0,
  }
}
const filler = 'The workshop opens at nine and closes at five, and there is tea in the afternoon. '
const PAGES = [
  pageOf('pens', 'Fountain pens', `${filler}A fountain pen holds its ink in the barrel.`),
  pageOf('ink', 'Ink', `${filler}Ink is mostly water with dyes; ink dries within seconds.`),
  pageOf('long', 'Everything', `${filler.repeat(60)} Ink is mentioned once.`),
  pageOf('nibs', 'Nibs', `${filler}Nibs are made of steel or gold.`),
  pageOf('tea', 'Tea', `${filler}Tea is grown on hills.`),
]
const idsOf = async (query: string) =>
  (await rank(PAGES, queryWords(query), new Pace())).map(({ id }) => id)

test.each([
  ['ink', ['ink', 'pens', 'long']],
  ['fountain ink', ['pens', 'ink', 'long']],
  ['what is the nib of a pen', ['nibs', 'pens']],
  ['NIBS', ['nibs']],
  ['foun', ['pens']],
  ['submarine', []],
])('%j finds %j', async (query, ids) => {
  expect(await idsOf(query)).toEqual(ids)
})

test('stop words are ignored, unless there are no others', () => {
  expect([queryWords('how to make the ink'), queryWords('to be or not to be')]).toEqual([
    ['make', 'ink'],
    ['not'],
  ])
  expect(queryWords('what is it')).toEqual(['what', 'is', 'it'])
  expect(queryWords('...')).toEqual([])
  expect(
    queryWords(Array.from({ length: 90 }, (_, index) => `word${index}`).join(' ')),
  ).toHaveLength(32)
})

test('the newer of two equal pages comes first', async () => {
  const pages = [pageOf('a', 'Ink', 'Ink.', 1), pageOf('b', 'Ink', 'Ink.', 2)]
  const ranked = await rank(pages, ['ink'], new Pace())
  expect(ranked.map(({ id }) => id)).toEqual(['b', 'a'])
})

test.each([
  ['that pages have', ['ink', 'tea'], 2],
  ['that none has, looked up twice', ['subm', 'water-'], 4],
])('each page is a step for each word %s', async (_, words, steps) => {
  const { pace, rests } = slowPace()
  await rank(PAGES, words, pace)
  expect(rests()).toBe(steps * PAGES.length)
})

test('the excerpt has the words of the query', () => {
  const text = `${filler.repeat(20)}Ink dries within seconds. ${filler.repeat(20)}`
  expect(passage(text, ['ink', 'dry', 'second'])).toContain('Ink dries')
  expect(passage(text, ['ink']).length).toBeLessThanOrEqual(400)
  expect(passage(text, ['submarine'])).toBe(text.slice(0, 400).trim())
  expect(passage('', ['ink'])).toBe('')
})
