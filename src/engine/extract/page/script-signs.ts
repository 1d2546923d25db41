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
  if (text.charAt(position + 1) === '{') return escapeInBraces(text, position)
  const end = position + (sign === 'x' ? 3 : 5)
  let code = 0
  for (let digit = position + 1; digit < end; digit++)
    code = 16 * code + hexDigit(text.charCodeAt(digit))
  return { escaped: String.fromCharCode(code), end }
}

/** `u{1f600}` */
function escapeInBraces(
  text: string,
  position: number,
): { readonly escaped: string; readonly end: number } {
  const [braces, digits = ''] =
    /^u\{([\da-f]{1,6})\}/i.exec(text.slice(position, position + LONGEST_ESCAPE)) ?? []
  const code = Number.parseInt(digits, 16)
  if (braces === undefined || code > 0x10ffff) throw new NotPlainData()
  return { escaped: String.fromCodePoint(code), end: position + braces.length }
}

/** @throws {NotPlainData} if a character is no hexadecimal digit */
function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  if (letter < 0x61 || letter > 0x66) throw new NotPlainData()
  return letter - 0x57
}
