import {
  AttributeAction,
  SelectorType,
  type AttributeSelector,
  type PseudoSelector,
  type Selector as Token,
} from 'css-what'
import { attributeMatcher, hasWord, LONG } from './attribute-matcher.ts'
import { searchSteps } from '../value/search-steps.ts'
import type { Matcher } from './matching.ts'
import { nextElement, previousElement } from './siblings.ts'
import { nthChildMatcher } from './nth-child-matcher.ts'

/** What an element must have for a compound to be worth testing; the most telling one of them. */
export interface CompoundKey {
  readonly kind: 'id' | 'tag' | 'class' | 'scope' | 'any'
  readonly name: string
}

/**
 * Compiles what stands between two combinators, such as `a.price[href]`; `null` where it has more
 * than this matcher knows.
 */
export function compoundMatcher(tokens: readonly Token[], xml: boolean): Matcher | null {
  const tests: Matcher[] = []
  for (const token of tokens) {
    const test = tokenMatcher(token, xml)
    if (test === null) return null
    if (test !== always) tests.push(test)
  }
  const [first = always, second, third] = tests
  if (second === undefined) return first
  if (third === undefined)
    return (element, matching) => first(element, matching) && second(element, matching)
  return (element, matching) => tests.every((test) => test(element, matching))
}

/** What to look a compound up by. */
export function compoundKey(tokens: readonly Token[], xml: boolean): CompoundKey {
  let key: CompoundKey = { kind: 'any', name: '' }
  for (const token of tokens) {
    if (token.type === SelectorType.Pseudo && token.name === 'scope')
      return { kind: 'scope', name: '' }
    if (token.type === SelectorType.Tag && key.kind !== 'id')
      key = { kind: 'tag', name: tagName(token.name, token.namespace, xml) }
    else if (token.type === SelectorType.Attribute && isPlain(token)) {
      if (token.name === 'id' && token.action === AttributeAction.Equals)
        key = { kind: 'id', name: token.value }
      else if (
        token.name === 'class' &&
        token.action === AttributeAction.Element &&
        key.kind === 'any'
      )
        key = { kind: 'class', name: token.value }
    }
  }
  return key
}

const always: Matcher = () => true
// HTML has no prefixes.
const never: Matcher = () => false

function tokenMatcher(token: Token, xml: boolean): Matcher | null {
  switch (token.type) {
    case SelectorType.Universal:
      return token.namespace === null || token.namespace === '*' ? always : xml ? null : never
    case SelectorType.Tag: {
      if (token.namespace !== null && token.namespace !== '*' && !xml) return never
      const name = tagName(token.name, token.namespace, xml)
      return (element) => element.name === name
    }
    case SelectorType.Attribute:
      if (token.namespace !== null) return null
      if (isPlain(token) && token.name === 'class' && token.action === AttributeAction.Element) {
        const { value } = token
        return (element, { budget }) => {
          const list = element.attribs['class']
          if (list !== undefined && list.length > LONG) budget.work(searchSteps(list))
          return list !== undefined && hasWord(list, value)
        }
      }
      return attributeMatcher(token, xml)
    case SelectorType.Pseudo:
      return pseudoMatcher(token, xml)
    default:
      return null
  }
}

// In XML, `media|thumbnail` is the element that is written `media:thumbnail`.
function tagName(name: string, namespace: string | null, xml: boolean): string {
  if (!xml) return name.toLowerCase()
  return namespace === null || namespace === '*' ? name : `${namespace}:${name}`
}

function isPlain(token: AttributeSelector): boolean {
  return token.ignoreCase !== true && token.namespace === null && token.value !== ''
}

function pseudoMatcher(token: PseudoSelector, xml: boolean): Matcher | null {
  const { name, data } = token
  switch (name) {
    case 'scope':
      return (element, { scope }) => element === scope
    case 'first-child':
      return (element) => previousElement(element) === null
    case 'last-child':
      return (element) => nextElement(element) === null
    case 'only-child':
      return (element) => previousElement(element) === null && nextElement(element) === null
    case 'nth-child':
      return typeof data === 'string' ? nthChildMatcher(data) : null
    case 'not':
    case 'is':
    case 'where':
    case 'matches': {
      if (data === null || typeof data === 'string') return null
      const options = data.map((tokens) => compoundMatcher(tokens, xml))
      const known = options.filter((option) => option !== null)
      if (known.length < options.length) return null
      const wanted = name !== 'not'
      return (element, matching) => known.some((option) => option(element, matching)) === wanted
    }
    default:
      return null
  }
}
