import { compile, type Options } from 'css-select'
import { SelectorType, type PseudoSelector, type Selector as Token } from 'css-what'
import { isTag, type AnyNode, type ChildNode, type Element } from 'domhandler'
import { removeSubsets } from 'domutils'
import { readableText } from '../tree/text-content.ts'
import { searchSteps } from '../page/page-budget.ts'
import { ownAttribute } from './attribute-matcher.ts'
import type { Matcher, Matching } from './matching.ts'
import { previousElement } from './matching.ts'
import { soughtText } from './nested-texts.ts'
import { positionMatcher } from './position-matcher.ts'

type Adapter = NonNullable<Options<AnyNode, Element>['adapter']>
type Pseudos = NonNullable<Options<AnyNode, Element>['pseudos']>

/** A visit of a node costs more here than in Seine's own matchers. */
const STEP = 2

// css-select calls the adapter without any context. Matching is synchronous, so there is only one
// current matching.
let current: Matching | null = null

function spend(steps: number): void {
  current?.budget.work(steps)
}

const NO_NODES: ChildNode[] = []

const adapter: Adapter = {
  isTag: (node): node is Element => {
    spend(STEP)
    return isTag(node)
  },
  getAttributeValue: (element, name) => {
    const value = ownAttribute(element, name)
    spend(STEP + searchSteps(value ?? ''))
    return value ?? undefined
  },
  hasAttrib: (element, name) => Object.hasOwn(element.attribs, name),
  getChildren: (node) => {
    const children = 'children' in node ? node.children : NO_NODES
    spend(STEP)
    return children
  },
  getName: (element) => element.name,
  getParent: (element) => {
    spend(STEP)
    return element.parent
  },
  getSiblings: (node) => {
    const siblings = node.parent === null ? [node] : node.parent.children
    spend(STEP)
    return siblings
  },
  prevElementSibling: (node) => {
    spend(STEP)
    return isTag(node) ? previousElement(node) : null
  },
  getText: (node) => {
    const text =
      'children' in node && current !== null
        ? readableText(node, '', current.budget)
        : 'data' in node
          ? node.data
          : ''
    spend(STEP + (text.length >> 2))
    return text
  },
  removeSubsets,
}

/**
 * Links as the HTML Standard defines them; css-select also counts `<link>`. All links count as not
 * visited.
 */
const PSEUDOS = {
  link: ':is(a, area)[href]',
  'any-link': ':is(a, area)[href]',
  visited: ':not(*)',
}

/**
 * Compiles one alternative with css-select, for everything that {@link complexMatcher} does not
 * support.
 *
 * @throws {Error} for an invalid selector
 */
export function generalMatcher(tokens: readonly Token[], xml: boolean): Matcher {
  const relative = namesScope(tokens)
  const pseudos: Pseudos = { ...PSEUDOS }
  const named = withOwnTests(tokens, pseudos)
  const compiled = (scope: Element | null) =>
    compile<AnyNode, Element>([copy(named)], {
      adapter,
      pseudos,
      xmlMode: xml,
      cacheResults: false,
      ...(scope === null ? {} : { context: scope }),
    })
  let scope: Element | null = null
  let query = compiled(null)
  return (element, matching) => {
    current = matching
    if (relative && matching.scope !== scope) {
      scope = matching.scope
      query = compiled(scope)
    }
    try {
      return query(element)
    } finally {
      // The matching is dropped after use, because it keeps the tree of its page in memory.
      current = null
    }
  }
}

/** True if a selector has `:scope`, also inside `:not(…)` and its like. */
export function namesScope(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) =>
      token.type === SelectorType.Pseudo &&
      (token.name === 'scope' || (Array.isArray(token.data) && token.data.some(namesScope))),
  )
}

// css-select counts all siblings again for each element whose position it needs, and reads its
// whole text again.
function withOwnTests(tokens: readonly Token[], pseudos: Pseudos): Token[] {
  return tokens.map((token) => {
    if (token.type !== SelectorType.Pseudo) return token
    const { data } = token
    if (Array.isArray(data))
      return { ...token, data: data.map((inner) => withOwnTests(inner, pseudos)) }
    const matches = ownMatcher(token)
    if (matches === null) return token
    const name = `own-${Object.keys(pseudos).length}`
    pseudos[name] = (element) => current !== null && matches(element, current)
    return { ...token, name, data: null }
  })
}

function ownMatcher(token: PseudoSelector): Matcher | null {
  const sought = soughtText(token)
  return sought === null
    ? positionMatcher(token, () => null)
    : (element, { texts }) => texts.contain(element, sought)
}

// css-select sorts the tokens it receives, so it gets a copy.
function copy(tokens: readonly Token[]): Token[] {
  return tokens.map((token) =>
    token.type === 'pseudo' && Array.isArray(token.data)
      ? { ...token, data: token.data.map(copy) }
      : { ...token },
  )
}
