import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import { AheadPay, type Parts } from '../page/in-turns.ts'
import type { PageBudget } from '../page/page-budget.ts'
import type { PageContent } from '../page/page-content.ts'
import type { Tree } from '../tree/parse-tree.ts'
import { evaluateParts } from './evaluate-in-parts.ts'
import { evaluateFirst, evaluateXPath } from './evaluate-xpath.ts'
import { isElement, isParent, stringOf, type XPathNode } from './xpath-nodes.ts'
import type { Expression } from './xpath-parts.ts'
import { XPathReader } from './xpath-reader.ts'
import { textOfValue, type XPathValue } from './xpath-values.ts'

/** Steps to return a node. */
const MATCH_STEPS = 2

/**
 * A compiled XPath. Returns elements, and the values of attributes and texts, in document order. An
 * expression that does not select nodes returns its value as text. `first`: only the first of them.
 */
export interface XPath {
  (page: PageContent, scope: Element | null, extent?: Extent): Found
  /** The same in parts, for runtimes without threads. It is slower. */
  parts(page: PageContent, scope: Element | null, extent?: Extent): Parts<Found>
}

type Extent = 'all' | 'first'
type Found = readonly (Element | string)[]

/**
 * Compiles a recipe's XPath. For an invalid path, adds an issue at `at` and returns a path that
 * finds nothing.
 */
export function checkedXPath(source: string, recipePath: string, issues: Issue[]): XPath {
  try {
    const expression = parseXPath(source)
    return Object.assign(
      (page: PageContent, scope: Element | null, extent: Extent = 'all') =>
        hasTree(page)
          ? matchesOf(extent === 'all' ? evaluateXPath : evaluateFirst, expression, page, scope)
          : [],
      {
        parts: (page: PageContent, scope: Element | null, extent: Extent = 'all') =>
          hasTree(page) ? matchParts(expression, page, scope, extent === 'first') : nothing(),
      },
    )
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    issues.push({
      path: recipePath,
      message: `${JSON.stringify(source.slice(0, 200))} is not a supported XPath: ${error.message}`,
    })
    return Object.assign(() => [], { parts: nothing })
  }
}

/**
 * Parses an expression of XPath 1.0, without variables.
 *
 * @throws {SyntaxError} naming the position that cannot be read
 */
export function parseXPath(source: string): Expression {
  return new XPathReader(source).whole()
}

function hasTree({ kind }: PageContent): boolean {
  return kind === 'html' || kind === 'xml'
}

function* nothing(): Parts<Found> {
  yield
  return []
}

function matchesOf(
  evaluate: typeof evaluateXPath,
  expression: Expression,
  page: PageContent,
  scope: Element | null,
): Found {
  const { tree, budget } = page
  const value: XPathValue = evaluate(expression, page, scope)
  if (typeof value !== 'object') return Number.isNaN(value) ? [] : [textOfValue(value, budget)]
  const nodes = evaluate === evaluateFirst ? value.slice(0, 1) : value
  // The nodes of a path from the root are the same for each item, and are listed again for it.
  budget.work(MATCH_STEPS * nodes.length)
  return nodes.flatMap((node) => foundAt(node, tree, budget))
}

function foundAt(node: XPathNode, tree: Tree, budget: PageBudget): Found {
  if (!isParent(node)) return [stringOf(node, budget)]
  return isElement(node) ? [node] : tree.root === null ? [] : [tree.root]
}

function* matchParts(
  expression: Expression,
  page: PageContent,
  scope: Element | null,
  isFirst: boolean,
): Parts<Found> {
  const { tree, budget } = page
  const value = yield* evaluateParts(expression, page, scope, isFirst)
  if (typeof value !== 'object') return Number.isNaN(value) ? [] : [textOfValue(value, budget)]
  const nodes = isFirst ? value.slice(0, 1) : value
  const pay = new AheadPay(budget, MATCH_STEPS, nodes.length)
  const matches: (Element | string)[] = []
  for (const node of nodes) {
    if (pay.ends()) yield
    matches.push(...foundAt(node, tree, budget))
  }
  pay.end()
  return matches
}
