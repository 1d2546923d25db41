/** A literal of a JSONPath, with the position after it. */
interface Literal<T> {
  readonly value: T
  readonly end: number
}

const NUMBER = /(?:-?[1-9]\d*|-?0)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y
/** The characters of a string up to a quote or an escape. Control characters are refused. */
const PLAIN = /[^"'\\\u0000-\u001f]+/y
const CODE = /[\da-fA-F]{4}/y
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['/', '/'],
  ['\\', '\\'],
])

/** Reads a number as JSON writes it. Returns `null` for anything else. */
export function readJsonNumber(source: string, from: number): Literal<number> | null {
  NUMBER.lastIndex = from
  const text = NUMBER.exec(source)?.[0]
  return text === undefined ? null : { value: Number(text), end: from + text.length }
}

/**
 * Reads a string in single or double quotes, with the escapes of JSON and of its own quote. Returns
 * `null` if it is invalid, for example with half a surrogate pair.
 */
export function readJsonString(source: string, from: number): Literal<string> | null {
  const quote = source[from]
  let value = ''
  let index = from + 1
  while (index < source.length) {
    PLAIN.lastIndex = index
    const plain = PLAIN.exec(source)?.[0] ?? ''
    value += plain
    index += plain.length
    const char = source[index]
    if (char === quote) return value.isWellFormed() ? { value, end: index + 1 } : null
    if (char === '"' || char === "'") {
      value += char
      index++
      continue
    }
    if (char !== '\\') return null
    const sign = source[index + 1] ?? ''
    const escaped =
      sign === quote ? quote : sign === 'u' ? codeAt(source, index + 2) : ESCAPES.get(sign)
    if (escaped === undefined) return null
    value += escaped
    index += sign === 'u' ? 6 : 2
  }
  return null
}

function codeAt(source: string, position: number): string | undefined {
  CODE.lastIndex = position
  const code = CODE.exec(source)?.[0]
  return code === undefined ? undefined : String.fromCharCode(Number.parseInt(code, 16))
}
