/** Characters of one part: about 6,000 tokens of English. */
const PIECE = 24_000
const MOST_PIECES = 40

/** Takes a text apart where a paragraph, a line or a word ends. `isCut`: it was longer than is kept. */
export function splitText(text: string): { readonly pieces: readonly string[]; readonly isCut: boolean } {
  const pieces: string[] = []
  let rest = text
  while (rest.length > PIECE && pieces.length < MOST_PIECES) {
    const end = endOf(rest)
    pieces.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  if (pieces.length === MOST_PIECES && rest !== '') return { pieces, isCut: true }
  return { pieces: [...pieces, rest], isCut: false }
}

function endOf(text: string): number {
  for (const mark of ['\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, PIECE - mark.length)
    if (at > PIECE / 2) return at + mark.length
  }
  // Not between the two halves of a character.
  const last = text.charCodeAt(PIECE - 1)
  return last >= 0xd800 && last < 0xdc00 ? PIECE - 1 : PIECE
}
