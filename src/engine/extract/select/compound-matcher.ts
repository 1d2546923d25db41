import { AttributeAction, parse, SelectorType } from 'css-what'
import type { AttributeSelector, PseudoSelector, Selector as Token } from 'css-what'
import { attributeMatcher, hasWord, LONG } from './attribute-matcher.ts'
import { generalMatcher, namesScope } from './general-matcher.ts'
import { hasMatcher } from './has-matcher.ts'
import { soughtText } from './nested-texts.ts'
import { searchSteps } from '../page/page-budget.ts'
import type { Matcher } from './matching.ts'
import { positionMatcher } from './position-matcher.ts'
import { isTag, isText, type Element } from 'domhandler'

/** A property that an element must have before a compound is tested. It is the most selective one. */
export interface CompoundKey {
  readonly kind: 'id' | 'tag' | 'class' | 'scope' | 'any'
  readonly name: string
}

/** Compiles a selector in parentheses. `null`: it uses something that is not supported. */
export type CompileInner = (tokens: readonly Token[], xml: boolean) => Matcher | null

/**
 * Compiles the part between two combinators, such as `a.price[href]`. css-select gets each
 * unsupported test separately and never sees a combinator, because it would visit all siblings of
 * each sibling. Tests that read other elements come last.
 */
export function compoundMatcher(
  tokens: readonly Token[],
  xml: boolean,
  compileInner: CompileInner,
): Matcher {
  const quick: Matcher[] = []
  const slow: Matcher[] = []
  for (const token of tokens) {
    const test = tokenMatcher(token, xml, compileInner)
    if (test === null) slow.push(generalMatcher([token], xml))
    else if (token.type === SelectorType.Pseudo && SLOW.has(token.name)) slow.push(test)
    else if (test !== always) quick.push(test)
  }
  const tests = [...quick, ...slow]
  const [first = always, second, third] = tests
  if (second === undefined) return first
  if (third === undefined)
    return (element, matching) => first(element, matching) && second(element, matching)
  return (element, matching) => tests.every((test) => test(element, matching))
}

/** Returns the lookup key of a compound. */
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

/** Tests that read all elements or texts below an element. */
const SLOW: ReadonlySet<string> = new Set(['has', 'contains', 'icontains'])

const always: Matcher = () => true
// HTML has no namespace prefixes.
const never: Matcher = () => false

function tokenMatcher(token: Token, xml: boolean, compileInner: CompileInner): Matcher | null {
  switch (token.type) {
    case SelectorType.Universal:
      if (token.namespace === null || token.namespace === '*') return always
      return xml ? prefixMatcher(token.namespace) : never
    case SelectorType.Tag: {
      if (token.namespace !== null && token.namespace !== '*' && !xml) return never
      const name = tagName(token.name, token.namespace, xml)
      return (element) => element.name === name
    }
    case SelectorType.Attribute:
      // `*|name` is an attribute with any prefix or none, `|name` one without.
      if (token.namespace !== null && token.namespace !== '*' && token.namespace !== '') return null
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
      return pseudoMatcher(token, xml, compileInner)
    default:
      return null
  }
}

/** In XML, `media|*` matches the elements with this prefix, and `|*` those without a prefix. */
function prefixMatcher(prefix: string): Matcher {
  return prefix === ''
    ? (element) => !element.name.includes(':')
    : (element) => element.name.startsWith(`${prefix}:`)
}

// In XML, `media|thumbnail` matches the element that is written as `media:thumbnail`.
function tagName(name: string, namespace: string | null, xml: boolean): string {
  if (!xml) return name.toLowerCase()
  return namespace === null || namespace === '*' || namespace === '' ? name : `${namespace}:${name}`
}

function isPlain(token: AttributeSelector): boolean {
  return token.ignoreCase !== true && token.namespace === null && token.value !== ''
}

function pseudoMatcher(
  token: PseudoSelector,
  xml: boolean,
  compileInner: CompileInner,
): Matcher | null {
  const { name, data } = token
  switch (name) {
    case 'scope':
      return (element, { scope }) => element === scope
    case 'empty':
      return isEmpty
    case 'not':
    case 'is':
    case 'where':
    case 'matches': {
      if (data === null || typeof data === 'string') return null
      const isListed = listMatcher(data, xml, compileInner)
      if (name !== 'not' || isListed === null) return isListed
      return (element, matching) => !isListed(element, matching)
    }
    case 'has':
      return data === null || typeof data === 'string'
        ? null
        : hasMatcher(data, (compound) => compoundMatcher(compound, xml, compileInner))
    case 'contains':
    case 'icontains': {
      const sought = soughtText(token)
      return sought && ((element, { texts }) => texts.contain(element, sought))
    }
    default:
      return positionMatcher(token, (css) => {
        const list = parse(css)
        return list.some(namesScope) ? null : listMatcher(list, xml, compileInner)
      })
  }
}

function listMatcher(
  alternatives: readonly (readonly Token[])[],
  xml: boolean,
  compileInner: CompileInner,
): Matcher | null {
  const options = alternatives.map((tokens) => compileInner(tokens, xml))
  const matchers = options.filter((option) => option !== null)
  if (matchers.length < options.length) return null
  return (element, matching) => matchers.some((option) => option(element, matching))
}

/**
 * True for an element without elements and texts. White space is text (Selectors 3, as browsers
 * implement it).
 */
function isEmpty({ children }: Element): boolean {
  return children.every((child) => !isTag(child) && !(isText(child) && child.data !== ''))
}
