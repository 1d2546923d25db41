import type { Template } from './template.ts'

/** Words of one template by the part in which they occur. The most significant part comes first. */
export interface SearchWords {
  readonly template: Template
  readonly parts: readonly { readonly weight: number; readonly words: ReadonlySet<string> }[]
}

const EMPTY_WORDS: ReadonlySet<string> = new Set([
  'a',
  'all',
  'an',
  'and',
  'as',
  'at',
  'by',
  'data',
  'each',
  'every',
  'extract',
  'for',
  'from',
  'get',
  'in',
  'into',
  'is',
  'me',
  'of',
  'on',
  'or',
  'scrape',
  'the',
  'their',
  'to',
  'with',
])
const LEAST_PREFIX = 3

/** Prepares a template for all searches. */
export function searchWordsOf(template: Template): SearchWords {
  const { id, name, description, categories, columns } = template
  const part = (weight: number, ...texts: readonly string[]) => ({
    weight,
    words: new Set(texts.flatMap(wordsOf)),
  })
  const fields = columns ?? []
  return {
    template,
    parts: [
      part(10, name),
      part(8, id),
      part(6, ...categories),
      part(4, ...fields.map((column) => column.name)),
      part(2, description),
      part(1, ...fields.map((column) => column.description)),
    ],
  }
}

/**
 * Templates that contain any of the words, best first: first by the number of words, then by the
 * weight of the parts that contain them. Ties keep the catalog's order.
 */
export function searchTemplates(all: readonly SearchWords[], query: string): readonly Template[] {
  const words = [...new Set(wordsOf(query))]
  const telling = words.filter((word) => !EMPTY_WORDS.has(word))
  const terms = telling.length > 0 ? telling : words
  return all
    .map((entry) => {
      const scores = terms.map((word) => scoreOf(entry, word))
      return {
        template: entry.template,
        hits: scores.filter((score) => score > 0).length,
        score: scores.reduce((sum, score) => sum + score, 0),
      }
    })
    .filter(({ hits }) => hits > 0)
    .toSorted((a, b) => b.hits - a.hits || b.score - a.score)
    .map(({ template }) => template)
}

function scoreOf({ parts }: SearchWords, word: string): number {
  for (const { weight, words } of parts) if (words.has(word)) return weight
  if (word.length < LEAST_PREFIX) return 0
  // The word may be unfinished, so it also matches as a prefix, with half the weight.
  for (const { weight, words } of parts)
    for (const other of words) if (other.startsWith(word)) return weight / 2
  return 0
}

/** Splits a text into words, without case, accents and plural. */
function wordsOf(text: string): string[] {
  const words =
    text
      .normalize('NFKD')
      .replace(/\p{M}+/gu, '')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  return words.map((word) =>
    word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word,
  )
}
