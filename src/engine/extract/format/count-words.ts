const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu
/** Scripts without spaces between words: one for each character, as word processors count. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** Words of a text. */
export function countWords(text: string): number {
  return countOf(IDEOGRAPH, text) + countOf(WORD, text.replace(IDEOGRAPH, ' '))
}

/** Without a list of all of them. */
function countOf(pattern: RegExp, text: string): number {
  let count = 0
  pattern.lastIndex = 0
  while (pattern.test(text)) count++
  return count
}
