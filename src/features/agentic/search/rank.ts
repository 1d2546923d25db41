import type { Pace } from '../../../kernel/pace.ts'
import type { FoundByRecord } from '../records.ts'

/** Stop words. They are ignored unless a query has no other words. */
const EMPTY = new Set(
  (
    'a an and are as at be by can do does for from how i in is it me my of on or that the ' +
    'this to was what when where which who why will with you'
  ).split(' '),
)
const MOST_WORDS = 32
const SHORTEST_PREFIX = 4
/**
 * Weights of a word, relative to 1 in the text: in the title, in the address, and as a mere prefix
 * of another word.
 */
const WEIGHT = { head: 4, address: 2, prefix: 0.4 }
const K1 = 1.2
const B = 0.75

/** The search words of a query. */
export function queryWords(query: string): string[] {
  const all = [...new Set(wordsOf(query))]
  const telling = all.filter((word) => !EMPTY.has(word))
  return (telling.length > 0 ? telling : all).slice(0, MOST_WORDS)
}

/**
 * The pages that contain any of the words, best first: BM25 over title, address and text as one
 * field (BM25F), times the share of the words that a page contains. It pauses between the pages:
 * looking up 32 words in a thousand of them takes half a second.
 */
export async function rank(
  pages: readonly FoundByRecord[],
  words: readonly string[],
  pace: Pace,
): Promise<FoundByRecord[]> {
  const average = pages.reduce((sum, { length }) => sum + length, 0) / Math.max(1, pages.length)
  const scores = pages.map(() => ({ score: 0, found: 0 }))
  for (const word of words) {
    const column = await weightsOf(pages, word, average, pace)
    const having = column.filter((weight) => weight > 0).length
    const rarity = Math.log(1 + (pages.length - having + 0.5) / (having + 0.5))
    column.forEach((weight, index) => {
      const sum = scores[index]
      if (!sum || weight === 0) return
      sum.score += (rarity * weight * (K1 + 1)) / (weight + K1)
      sum.found++
    })
  }
  return pages
    .map((page, index) => ({
      page,
      score: ((scores[index]?.score ?? 0) * (scores[index]?.found ?? 0)) / words.length,
    }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || b.page.at - a.page.at)
    .map(({ page }) => page)
}

/**
 * Weight of a word for each page. If no page has the word, pages with words that start with it
 * count.
 */
async function weightsOf(
  pages: readonly FoundByRecord[],
  word: string,
  average: number,
  pace: Pace,
): Promise<number[]> {
  const weightsBy = async (count: (counts: string) => number): Promise<number[]> => {
    const weights: number[] = []
    for (const page of pages) {
      weights.push(weightBy(page, average, count))
      const rest = pace.step()
      if (rest) await rest
    }
    return weights
  }
  const exact = await weightsBy((counts) => countOf(counts, word))
  if (word.length < SHORTEST_PREFIX || exact.some((weight) => weight > 0)) return exact
  const longer = await weightsBy((counts) => countOfPrefix(counts, word))
  return longer.map((weight) => WEIGHT.prefix * weight)
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

const LENGTH = 400
const STEP = 100

/** The part of a text that contains most of the words. Its start, if it contains none. */
export function passage(text: string, words: readonly string[]): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  let best = { found: 0, at: 0 }
  for (let position = 0; position === 0 || position + STEP < plain.length; position += STEP) {
    const here = new Set(wordsOf(plain.slice(position, position + LENGTH)))
    const matching = words.filter((word) => here.has(word)).length
    if (matching > best.found) best = { found: matching, at: position }
  }
  const start = best.at === 0 ? 0 : plain.indexOf(' ', best.at) + 1
  return plain
    .slice(start, start + LENGTH)
    .toWellFormed()
    .trim()
}

/** Maximum number of different words of a text that are stored. */
const MOST_COUNTED_WORDS = 700

/**
 * Counts words and writes the counts as one text: ` ink:3 nib:1 `. If there are too many words, the
 * most frequent are kept.
 */
export function countWords(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = [...counts]
  const frequent =
    all.length > MOST_COUNTED_WORDS
      ? all.toSorted(([, a], [, b]) => b - a).slice(0, MOST_COUNTED_WORDS)
      : all
  return ` ${frequent.map(([word, count]) => `${word}:${count}`).join(' ')} `
}

/**
 * Finds the count of a word in such a text. It does not parse the text, because a search looks up
 * few words in many texts.
 */
export function countOf(counts: string, word: string): number {
  const position = counts.indexOf(` ${word}:`)
  return position < 0 ? 0 : numberAt(counts, position + word.length + 2)
}

/** The count of the first word that starts with a prefix. */
export function countOfPrefix(counts: string, prefix: string): number {
  const position = counts.indexOf(` ${prefix}`)
  return position < 0 ? 0 : numberAt(counts, counts.indexOf(':', position) + 1)
}

function numberAt(counts: string, position: number): number {
  return Number(counts.slice(position, counts.indexOf(' ', position)))
}

/** Matches characters of scripts without spaces between words. */
const UNSPACED = new RegExp(
  String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}` +
    String.raw`\p{Script=Khmer}\p{Script=Myanmar}]`,
  'u',
)
const WORD = /[\p{L}\p{N}]+/gu
const PLAIN = /^[\0-\x7f]*$/
const LONGEST = 40
/**
 * How many times as long a text may become without its ligatures and joined letters: three times
 * for Korean and Vietnamese. A single character may become 18 characters; a text of many such
 * characters is cut.
 */
const MOST_GROWTH = 4

/**
 * Splits a text into words, for both pages and queries: without case, accents and the English
 * plural. Scripts without spaces are split into pairs of characters.
 */
export function wordsOf(text: string): string[] {
  const folded = PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .slice(0, MOST_GROWTH * text.length)
        .replace(/\p{M}+/gu, '')
        .toLowerCase()
  return (folded.match(WORD) ?? []).flatMap((word) =>
    UNSPACED.test(word) ? pairsOf(word) : [singular(word.slice(0, LONGEST))],
  )
}

function pairsOf(run: string): string[] {
  const characters = [...run]
  return characters.length === 1
    ? characters
    : characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`)
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
