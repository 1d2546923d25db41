/** Tokens of one part, by estimate: 24,000 characters of English. */
const TOKENS = 6_000
const MOST_PIECES = 40
/** Where scripts begin whose characters are a token each: Han, Kana, Hangul and beyond. */
const IDEOGRAPHS = 0x2e80

/**
 * Takes a text apart where a paragraph, a line or a word ends, into parts that fit a context.
 * `isCut`: it was longer than is kept.
 */
export function splitText(text: string): {
  readonly pieces: readonly string[]
  readonly isCut: boolean
} {
  const pieces: string[] = []
  let start = 0
  for (;;) {
    const reach = reachOf(text, start)
    if (reach === text.length) return { pieces: [...pieces, text.slice(start)], isCut: false }
    if (pieces.length === MOST_PIECES - 1)
      return { pieces: [...pieces, text.slice(start, endOf(text, start, reach))], isCut: true }
    const end = endOf(text, start, reach)
    pieces.push(text.slice(start, end))
    start = end
  }
}

/**
 * How far a part may go. A token is about four letters of English, two of other alphabets, and one
 * character of Chinese.
 */
function reachOf(text: string, start: number): number {
  let quarters = 0
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    quarters += code < 0x80 ? 1 : code < IDEOGRAPHS ? 2 : 4
    if (quarters > TOKENS * 4) return at
  }
  return text.length
}

function endOf(text: string, start: number, reach: number): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, reach - mark.length)
    if (at > start + (reach - start) / 2) return at + mark.length
  }
  // Not between the two halves of a character.
  const last = text.charCodeAt(reach - 1)
  return last >= 0xd800 && last < 0xdc00 ? reach - 1 : reach
}
