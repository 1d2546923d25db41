const QUOTED = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns the `charset` of a `Content-Type` (MIME Sniffing, "parse a MIME type"), or `undefined`.
 * The first parameter of the name counts, whatever its value; what is no parameter is left out.
 */
export function charsetLabel(contentType: string): string | undefined {
  let at = contentType.indexOf(';')
  while (at !== -1 && at < contentType.length) {
    at = afterSpace(contentType, at + 1)
    const nameEnd = firstOf(contentType, at, ';=')
    const name = contentType.slice(at, nameEnd).toLowerCase()
    if (contentType[nameEnd] !== '=') {
      at = nameEnd
      continue
    }
    const isQuoted = contentType[nameEnd + 1] === '"'
    const valueEnd = isQuoted
      ? closingQuote(contentType, nameEnd + 2)
      : firstOf(contentType, nameEnd + 1, ';')
    const value = isQuoted
      ? contentType.slice(nameEnd + 2, valueEnd).replace(/\\([^])/g, '$1')
      : contentType.slice(nameEnd + 1, valueEnd).replace(/(?<![\t\n\r ])[\t\n\r ]+$/, '')
    const isValue = (isQuoted || value !== '') && QUOTED.test(value)
    if (name === 'charset' && isValue) return value
    at = isQuoted ? firstOf(contentType, valueEnd, ';') : valueEnd
  }
  return undefined
}

function afterSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && '\t\n\r '.includes(text.charAt(at))) at++
  return at
}

function firstOf(text: string, from: number, signs: string): number {
  let at = from
  while (at < text.length && !signs.includes(text.charAt(at))) at++
  return at
}

function closingQuote(text: string, from: number): number {
  let at = from
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return Math.min(at, text.length)
}
