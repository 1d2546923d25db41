/**
 * Writes a selector without what the parser below does not know: comments, escaped flags of
 * attributes (`[a=b \69]`), and `:is()`, which matches nothing. Takes time linear in the selector.
 */
export function plainSelector(css: string): string {
  let plain = ''
  let at = 0
  while (at < css.length) {
    const char = css.charAt(at)
    if (char === '[') {
      const end = closing(css, at + 1)
      plain += `[${plainAttribute(css.slice(at + 1, end))}${css.charAt(end)}`
      at = end + 1
    } else if (char === ')' && EMPTY_LIST.test(plain.slice(-MAX_EMPTY))) {
      plain = `${plain.slice(0, plain.lastIndexOf(':'))}:not(*)`
      at++
    } else {
      const end = afterPiece(css, at)
      if (!css.startsWith('/*', at)) plain += css.slice(at, end)
      at = end
    }
  }
  return plain
}

/** The beginning of `:is()`, up to the parenthesis that closes it. */
const EMPTY_LIST = /:(?:is|where)\([\t\n\f\r ]*$/i
const MAX_EMPTY = 40
const FLAG = /^\\(?:0{0,4}(?:49|69|53|73)[\t\n\f\r ]?|[isIS])$/
const FLAGS: Readonly<Record<string, string>> = { '49': 'i', '69': 'i', '53': 's', '73': 's' }

/** The position of the bracket that closes an attribute, or the end of the text. */
function closing(css: string, from: number): number {
  let at = from
  while (at < css.length && css.charAt(at) !== ']') at = afterPiece(css, at)
  return Math.min(at, css.length)
}

/** The position after a comment, a string, an escape or a character. */
function afterPiece(css: string, at: number): number {
  const char = css.charAt(at)
  if (char === '\\') return Math.min(at + 2, css.length)
  if (css.startsWith('/*', at)) {
    const end = css.indexOf('*/', at + 2)
    return end === -1 ? css.length : end + 2
  }
  if (char !== '"' && char !== "'") return at + 1
  let end = at + 1
  while (end < css.length && css.charAt(end) !== char) end += css.charAt(end) === '\\' ? 2 : 1
  return Math.min(end + 1, css.length)
}

function plainAttribute(written: string): string {
  let plain = ''
  let lastValue = 0
  const solidEnd = written.trimEnd().length
  for (let at = 0; at < written.length;) {
    const end = afterPiece(written, at)
    const piece = written.slice(at, end)
    plain += piece.startsWith('/*') ? ' ' : piece
    // The flag stands after white space or a string.
    if (/^[\t\n\f\r "'/]/.test(piece) && end < solidEnd) lastValue = plain.length
    at = end
  }
  const flag = plain.slice(lastValue).trim()
  if (!plain.slice(0, lastValue).includes('=') || !FLAG.test(flag)) return plain
  const code = flag.slice(1).trim().slice(-2)
  return `${plain.slice(0, lastValue)} ${FLAGS[code] ?? code}`
}
