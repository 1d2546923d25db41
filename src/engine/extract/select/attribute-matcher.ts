import { AttributeAction, type AttributeSelector } from 'css-what'
import type { Element } from 'domhandler'
import { MOST_SOUGHT, searchSteps } from '../page/page-budget.ts'
import type { Matcher } from './matching.ts'

/**
 * Attributes whose values a selector compares without case in HTML (HTML Standard,
 * "Case-sensitivity of selectors").
 */
const CASELESS = new Set(
  (
    'accept accept-charset align alink axis bgcolor charset checked clear codetype color ' +
    'compact declare defer dir direction disabled enctype face frame hreflang http-equiv ' +
    'lang language link media method multiple nohref noresize noshade nowrap readonly rel ' +
    'rev rules scope scrolling selected shape target text type valign valuetype vlink'
  ).split(' '),
)

/** Number of characters of a value that are searched in one step. */
export const LONG = 64

/** Compiles `[name]`, `[name=value]` and similar selectors. */
export function attributeMatcher(token: AttributeSelector, xml: boolean): Matcher {
  const name = xml ? token.name : token.name.toLowerCase()
  const { action } = token
  if (action === AttributeAction.Exists) return (element) => Object.hasOwn(element.attribs, name)
  const caseless =
    typeof token.ignoreCase === 'boolean'
      ? token.ignoreCase
      : token.ignoreCase === null && !xml && CASELESS.has(name)
  const expected = caseless ? token.value.toLowerCase() : token.value
  const test = comparison(action, expected)
  return (element, { budget }) => {
    if (!Object.hasOwn(element.attribs, name)) return action === AttributeAction.Not
    const value = element.attribs[name] ?? ''
    if (value.length > LONG) budget.work(searchSteps(value))
    return test(caseless ? value.toLowerCase() : value)
  }
}

function comparison(action: AttributeAction, expected: string): (value: string) => boolean {
  switch (action) {
    case AttributeAction.Equals:
      return (value) => value === expected
    case AttributeAction.Element:
      return expected === '' || /\s/.test(expected)
        ? () => false
        : (value) => hasWord(value, expected)
    case AttributeAction.Start:
      return (value) => expected !== '' && value.startsWith(expected)
    case AttributeAction.End:
      return (value) => expected !== '' && value.endsWith(expected)
    case AttributeAction.Any:
      return (value) => expected !== '' && value.includes(expected)
    case AttributeAction.Hyphen:
      return (value) => value === expected || value.startsWith(`${expected}-`)
    case AttributeAction.Not:
      return (value) => value !== expected
    case AttributeAction.Exists:
      return () => true
  }
}

/** True if a list of words, such as a class attribute, has a word. Takes time linear in the list. */
export function hasWord(list: string, word: string): boolean {
  if (word.length > MOST_SOUGHT)
    return list.length >= word.length && list.split(/[\t\n\f\r ]/).includes(word)
  for (
    let position = list.indexOf(word);
    position !== -1;
    position = list.indexOf(word, position)
  ) {
    const end = position + word.length
    if (
      (position === 0 || isSpace(list.charCodeAt(position - 1))) &&
      (end === list.length || isSpace(list.charCodeAt(end)))
    )
      return true
    // The match is inside a longer word, so no other match can begin in that word.
    while (position < list.length && !isSpace(list.charCodeAt(position))) position++
  }
  return false
}

/** Returns the value of an element's own attribute. */
export function ownAttribute(element: Element, name: string): string | null {
  return Object.hasOwn(element.attribs, name) ? (element.attribs[name] ?? null) : null
}

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b)
}
