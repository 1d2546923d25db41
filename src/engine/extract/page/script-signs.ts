import { NotPlainData } from './script-values.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  '\n': '',
}
/** The longest escape: `{10ffff}` after its `u`. */
const LONGEST_ESCAPE = 9
/** A sign or a word after which a slash begins a pattern. After other words a slash divides. */
const BEFORE_PATTERN =
  /^(?:[(,=:[!&|?{;*%<>~^]|return|typeof|case|in|of|else|do|void|delete|throw|new|instanceof|yield|await)$/
/**
 * After these, a slash may begin a pattern or divide: `i++/2`, `a+/b/.c`, the end of a block or of
 * an object.
 */
const UNCLEAR = /^[+}-]$/
/** Words before brackets that contain a condition and not a value. */
const CONDITION = /^(?:if|while|for|with)$/
/** The longest word of the language is shorter. */
const LONGEST_WORD = 12

/**
 * True if a slash begins a pattern, according to the word or the sign before it.
 *
 * @throws {NotPlainData} if both are possible, because the content of a pattern could be read as
 *   code
 */
export function isPatternAfter(before: string): boolean {
  if (UNCLEAR.test(before)) throw new NotPlainData()
  return BEFORE_PATTERN.test(before)
}

/** True if brackets after this word contain a condition. After such brackets a statement begins. */
export function isCondition(before: string): boolean {
  return CONDITION.test(before)
}

/** The last word or sign before a position. */
export function lastWord(text: string, position: number): string {
  const last = text.slice(Math.max(0, position - LONGEST_WORD), position).trimEnd()
  const word = last.split(/[^\w$]/).at(-1) ?? ''
  return word === '' ? last.slice(-1) : word
}

/**
 * Returns the text of an escape whose backslash is before the position, and the escape's end.
 *
 * @throws {NotPlainData} if there is no such character
 */
export function escapeAt(
  text: string,
  position: number,
): { readonly escaped: string; readonly end: number } {
  const sign = text.charAt(position)
  if (sign !== 'x' && sign !== 'u') return { escaped: ESCAPES[sign] ?? sign, end: position + 1 }
  const after = text.slice(position + 1, position + LONGEST_ESCAPE)
  const [digits, inBraces] =
    (sign === 'x'
      ? /^[\da-f]{2}/i.exec(after)
      : /^(?:[\da-f]{4}|\{([\da-f]{1,6})\})/i.exec(after)) ?? []
  const code = Number.parseInt(inBraces ?? digits ?? '', 16)
  if (digits === undefined || code > 0x10ffff) throw new NotPlainData()
  return { escaped: String.fromCodePoint(code), end: position + 1 + digits.length }
}
