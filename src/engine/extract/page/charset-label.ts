const QUOTED = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * Returns the `charset` of a `Content-Type` (MIME Sniffing, "parse a MIME type"), or `undefined`.
 * The first parameter of the name counts, even with an invalid value. Parts that are not parameters
 * are skipped.
 */
export function charsetLabel(contentType: string): string | undefined {
  let position = contentType.indexOf(';')
  while (position !== -1 && position < contentType.length) {
    position = afterSpace(contentType, position + 1)
    const nameEnd = firstOf(contentType, position, ';=')
    const name = contentType.slice(position, nameEnd).toLowerCase()
    if (contentType[nameEnd] !== '=') {
      position = nameEnd
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
    position = isQuoted ? firstOf(contentType, valueEnd, ';') : valueEnd
  }
  return undefined
}

function afterSpace(text: string, from: number): number {
  let position = from
  while (position < text.length && '\t\n\r '.includes(text.charAt(position))) position++
  return position
}

function firstOf(text: string, from: number, signs: string): number {
  let position = from
  while (position < text.length && !signs.includes(text.charAt(position))) position++
  return position
}

function closingQuote(text: string, from: number): number {
  let index = from
  while (index < text.length && text[index] !== '"') index += text[index] === '\\' ? 2 : 1
  return Math.min(index, text.length)
}
