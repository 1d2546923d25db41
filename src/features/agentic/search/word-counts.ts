/** Different words that are kept of a text. */
const MOST_WORDS = 700

/**
 * Words with how often each is there, as one text: ` ink:3 nib:1 `. The commonest words are kept,
 * where there are too many.
 */
export function countWords(words: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  const all = [...counts]
  const kept =
    all.length > MOST_WORDS ? all.toSorted(([, a], [, b]) => b - a).slice(0, MOST_WORDS) : all
  return ` ${kept.map(([word, count]) => `${word}:${count}`).join(' ')} `
}

/**
 * How often a word is in such a text: found without taking the text apart, since a search asks for
 * few words of many texts.
 */
export function countOf(counts: string, word: string): number {
  const at = counts.indexOf(` ${word}:`)
  return at < 0 ? 0 : numberAt(counts, at + word.length + 2)
}

/** The same for the first word that begins so. */
export function countOfPrefix(counts: string, prefix: string): number {
  const at = counts.indexOf(` ${prefix}`)
  return at < 0 ? 0 : numberAt(counts, counts.indexOf(':', at) + 1)
}

function numberAt(counts: string, at: number): number {
  return Number(counts.slice(at, counts.indexOf(' ', at)))
}
