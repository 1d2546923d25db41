/** Scripts that leave no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const WORD = /[\p{L}\p{N}]+/gu
const PLAIN = /^[\0-\x7f]*$/
const LONGEST = 40

/**
 * The words of a text, as both pages and queries are cut into them: without case, accents and the
 * English plural; pairs of characters in scripts without spaces.
 */
export function wordsOf(text: string): string[] {
  const folded = PLAIN.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
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
    : characters.slice(1).map((character, at) => `${characters[at] ?? ''}${character}`)
}

function singular(word: string): string {
  if (word.length < 4 || !word.endsWith('s') || /(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  return /(?:[sxz]|[cs]h)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}
