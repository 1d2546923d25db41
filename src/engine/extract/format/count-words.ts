const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}'’-]*/gu
/** Scripts without spaces between words: one for each character, as word processors count. */
const IDEOGRAPH = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu

/** Words of a text. */
export function countWords(text: string): number {
  const ideographs = text.match(IDEOGRAPH)?.length ?? 0
  return ideographs + (text.replace(IDEOGRAPH, ' ').match(WORD)?.length ?? 0)
}
