/**
 * Removes parts of a selector that the parser below does not know: comments, escaped flags of
 * attributes (`[a=b \69]`), and `:is()`, which matches nothing. Takes time linear in the selector.
 */
export function plainSelector(css: string): string {
  let plain = ''
  let position = 0
  while (position < css.length) {
    const char = css.charAt(position)
    if (char === '[') {
      const end = closing(css, position + 1)
      plain += `[${plainAttribute(css.slice(position + 1, end))}${css.charAt(end)}`
      position = end + 1
    } else if (char === ')' && EMPTY_LIST.test(plain.slice(-MAX_EMPTY))) {
      plain = `${plain.slice(0, plain.lastIndexOf(':'))}:not(*)`
      position++
    } else {
      const end = afterPiece(css, position)
      if (!css.startsWith('/*', position)) plain += css.slice(position, end)
      position = end
    }
  }
  return plain
}

/** The start of `:is()`, up to the closing parenthesis. */
const EMPTY_LIST = /:(?:is|where)\([\t\n\f\r ]*$/i
const MAX_EMPTY = 40
const FLAG = /^\\(?:0{0,4}(?:49|69|53|73)[\t\n\f\r ]?|[isIS])$/
const FLAGS: Readonly<Record<string, string>> = { '49': 'i', '69': 'i', '53': 's', '73': 's' }

/** The position of the bracket that closes an attribute, or the end of the text. */
function closing(css: string, from: number): number {
  let position = from
  while (position < css.length && css.charAt(position) !== ']') position = afterPiece(css, position)
  return Math.min(position, css.length)
}

/** The position after a comment, a string, an escape or a character. */
function afterPiece(css: string, position: number): number {
  const char = css.charAt(position)
  if (char === '\\') return Math.min(position + 2, css.length)
  if (css.startsWith('/*', position)) {
    const end = css.indexOf('*/', position + 2)
    return end === -1 ? css.length : end + 2
  }
  if (char !== '"' && char !== "'") return position + 1
  let end = position + 1
  while (end < css.length && css.charAt(end) !== char) end += css.charAt(end) === '\\' ? 2 : 1
  return Math.min(end + 1, css.length)
}

function plainAttribute(source: string): string {
  let plain = ''
  let lastValue = 0
  const solidEnd = source.trimEnd().length
  for (let position = 0; position < source.length;) {
    const end = afterPiece(source, position)
    const piece = source.slice(position, end)
    plain += piece.startsWith('/*') ? ' ' : piece
    // The flag follows white space or a string.
    if (/^[\t\n\f\r "'/]/.test(piece) && end < solidEnd) lastValue = plain.length
    position = end
  }
  const flag = plain.slice(lastValue).trim()
  if (!plain.slice(0, lastValue).includes('=') || !FLAG.test(flag)) return plain
  const code = flag.slice(1).trim().slice(-2)
  return `${plain.slice(0, lastValue)} ${FLAGS[code] ?? code}`
}
