import { compile, type Options } from 'css-select'
import type { Selector as Token } from 'css-what'
import { isTag, type AnyNode, type ChildNode, type Element } from 'domhandler'
import { removeSubsets } from 'domutils'
import { readableText } from '../tree/text-content.ts'
import { ownAttribute } from './attribute-matcher.ts'
import type { Matcher, Matching } from './matching.ts'
import { previousElement } from './siblings.ts'

type Adapter = NonNullable<Options<AnyNode, Element>['adapter']>

class OutOfSteps extends Error {}

/** One look at the tree costs more here than in the own matchers. */
const STEP = 4

// css-select calls the adapter without any context; the matching that is going on is the only one there can be, since
// nothing here is asynchronous.
let current: Matching = { scope: null, steps: 0, positions: new Map() }

function spend(steps: number): void {
  current.steps -= steps
  if (current.steps < 0) throw new OutOfSteps()
}

const NO_NODES: ChildNode[] = []

const adapter: Adapter = {
  isTag: (node): node is Element => {
    spend(STEP)
    return isTag(node)
  },
  getAttributeValue: (element, name) => ownAttribute(element, name) ?? undefined,
  hasAttrib: (element, name) => Object.hasOwn(element.attribs, name),
  getChildren: (node) => {
    const children = 'children' in node ? node.children : NO_NODES
    spend(STEP + children.length)
    return children
  },
  getName: (element) => element.name,
  getParent: (element) => {
    spend(STEP)
    return element.parent
  },
  getSiblings: (node) => {
    const siblings = node.parent === null ? [node] : node.parent.children
    spend(STEP + siblings.length)
    return siblings
  },
  prevElementSibling: (node) => {
    spend(STEP)
    return isTag(node) ? previousElement(node) : null
  },
  getText: (node) => {
    const text = 'children' in node ? readableText(node, '') : 'data' in node ? node.data : ''
    spend(STEP + text.length)
    return text
  },
  removeSubsets,
}

/** Compiles one alternative with css-select: everything that {@link complexMatcher} does not know. @throws {Error} for what is no selector. */
export function generalMatcher(tokens: readonly Token[], relative: boolean, xml: boolean): Matcher {
  const compiled = (scope: Element | null) =>
    compile<AnyNode, Element>([copy(tokens)], { adapter, xmlMode: xml, cacheResults: false, ...(scope === null ? {} : { context: scope }) })
  let scope: Element | null = null
  let query = compiled(null)
  return (element, matching) => {
    if (matching.steps < 0) return false
    current = matching
    if (relative && matching.scope !== scope) {
      scope = matching.scope
      query = compiled(scope)
    }
    try {
      return query(element)
    } catch (error) {
      if (error instanceof OutOfSteps) return false
      throw error
    }
  }
}

// css-select sorts the tokens it is given.
function copy(tokens: readonly Token[]): Token[] {
  return tokens.map((token) => (token.type === 'pseudo' && Array.isArray(token.data) ? { ...token, data: token.data.map(copy) } : { ...token }))
}
