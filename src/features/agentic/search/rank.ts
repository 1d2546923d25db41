import type { FoundByRecord } from '../../../records/agentic-records.ts'
import { countOf, countOfPrefix } from './word-counts.ts'
import { wordsOf } from './words.ts'

/** Words that say nothing of what is looked for, unless nothing else is. */
const EMPTY = new Set(
  'a an and are as at be by can do does for from how i in is it me my of on or that the this to was what when where which who why will with you'.split(
    ' ',
  ),
)
const MOST_WORDS = 32
const SHORTEST_PREFIX = 4
/**
 * What a word is worth in the title and in the address, beside one in the text; and where it only
 * begins another.
 */
const WEIGHT = { head: 4, address: 2, prefix: 0.4 }
const K1 = 1.2
const B = 0.75

/** The words to look for in a query. */
export function queryWords(query: string): string[] {
  const all = [...new Set(wordsOf(query))]
  const telling = all.filter((word) => !EMPTY.has(word))
  return (telling.length > 0 ? telling : all).slice(0, MOST_WORDS)
}

/**
 * The pages that have one of the words, best first: BM25 over title, address and text as one
 * (BM25F), times the share of words that are there.
 */
export function rank(pages: readonly FoundByRecord[], words: readonly string[]): FoundByRecord[] {
  const average = pages.reduce((sum, { length }) => sum + length, 0) / Math.max(1, pages.length)
  const weights = words.map((word) => weightsOf(pages, word, average))
  const scores = pages.map(() => ({ score: 0, found: 0 }))
  for (const column of weights) {
    const having = column.filter((weight) => weight > 0).length
    const rarity = Math.log(1 + (pages.length - having + 0.5) / (having + 0.5))
    column.forEach((weight, at) => {
      const sum = scores[at]
      if (!sum || weight === 0) return
      sum.score += (rarity * weight * (K1 + 1)) / (weight + K1)
      sum.found++
    })
  }
  return pages
    .map((page, at) => ({
      page,
      score: ((scores[at]?.score ?? 0) * (scores[at]?.found ?? 0)) / words.length,
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.page.at - a.page.at)
    .map(({ page }) => page)
}

/** What a word is worth for each page. One that no page has may begin others. */
function weightsOf(pages: readonly FoundByRecord[], word: string, average: number): number[] {
  const exact = pages.map((page) => weightBy(page, average, (counts) => countOf(counts, word)))
  if (word.length < SHORTEST_PREFIX || exact.some((weight) => weight > 0)) return exact
  return pages.map(
    (page) => WEIGHT.prefix * weightBy(page, average, (counts) => countOfPrefix(counts, word)),
  )
}

function weightBy(
  { head, address, body, length }: FoundByRecord,
  average: number,
  count: (counts: string) => number,
): number {
  return (
    count(body) / (1 - B + (B * length) / Math.max(1, average)) +
    WEIGHT.head * count(head) +
    WEIGHT.address * count(address)
  )
}
