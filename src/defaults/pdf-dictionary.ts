/** The end of an object's number, after which its dictionary begins. */
const OBJECT = /\d[\0\t\n\f\r ]+obj(?![a-z])/g
const DICTIONARY_END = />>[\0\t\n\f\r ]*$/
const MARK = /<<|>>|[<>()%\\]/g
const COMMENT = /%[^\r\n]*/g
const HEX = /<[0-9A-Fa-f\0\t\n\f\r ]*>(?!>(?!>))/g

/**
 * True if the text before a stream ends with a dictionary. A stream without a dictionary is not
 * one.
 */
export function endsDictionary(before: string): boolean {
  return DICTIONARY_END.test(before) || DICTIONARY_END.test(before.replaceAll(COMMENT, ''))
}

/**
 * Replaces hexadecimal strings by numbers of the same length. The dictionary of a stream needs no
 * such string. A string could hide an object, so that readers might find different objects.
 */
export function withoutHex(before: string): string {
  const start = startOf(before)
  return start === null
    ? before
    : before.slice(0, start) +
        before.slice(start).replaceAll(HEX, (text) => '0'.padEnd(text.length, ' '))
}

/**
 * True if every reader finds the same dictionary here. A string or a comment could contain another
 * one, which hides the length of its stream.
 */
export function isCertain(before: string): boolean {
  const start = startOf(before)
  if (start === null) return false
  const withoutComments = before.replaceAll(COMMENT, '')
  const others = startOf(withoutComments)
  // False if the number of an object is in a comment, or if there is a comment in the dictionary.
  if (others === null || before.slice(start) !== withoutComments.slice(others)) return false
  const dictionary = before
    .slice(start)
    .replace(/^[\0\t\n\f\r ]+/, '')
    .trimEnd()
  // An object with a number like `7.` could be between the number and the dictionary.
  if (!dictionary.startsWith('<<')) return false
  let [depth, texts] = [0, 0]
  for (const { 0: mark, index } of dictionary.matchAll(MARK)) {
    if (mark === '(') texts++
    else if (mark === ')') texts--
    else if (mark === '<<' && texts === 0) depth++
    else if (mark === '>>' && texts === 0) depth--
    else return false
    if (texts < 0 || (depth <= 0 && index + 2 < dictionary.length)) return false
  }
  return depth === 0 && texts === 0
}

function startOf(before: string): number | null {
  const last = [...before.matchAll(OBJECT)].at(-1)
  return last ? last.index + last[0].length : null
}
