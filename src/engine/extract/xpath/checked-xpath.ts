import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import type { PageContent } from '../page/page-content.ts'
import { evaluateFirst, evaluateXPath } from './evaluate-xpath.ts'
import { isElement, isParent, stringOf } from './xpath-nodes.ts'
import type { Expression } from './xpath-parts.ts'
import { XPathReader } from './xpath-reader.ts'
import { textOfValue, type XPathValue } from './xpath-values.ts'

/** Steps to return a node. */
const MATCH_STEPS = 2

/**
 * A compiled XPath. Returns elements, and the values of attributes and texts, in document order. An
 * expression that does not select nodes returns its value as text. `first`: only the first of them.
 */
export type XPath = (
  page: PageContent,
  scope: Element | null,
  extent?: 'all' | 'first',
) => readonly (Element | string)[]

/**
 * Compiles a recipe's XPath. For an invalid path, adds an issue at `at` and returns a path that
 * finds nothing.
 */
export function checkedXPath(source: string, recipePath: string, issues: Issue[]): XPath {
  try {
    const expression = parseXPath(source)
    return (page, scope, extent = 'all') =>
      page.kind === 'html' || page.kind === 'xml'
        ? matchesOf(extent === 'all' ? evaluateXPath : evaluateFirst, expression, page, scope)
        : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    issues.push({
      path: recipePath,
      message: `${JSON.stringify(source.slice(0, 200))} is not a supported XPath: ${error.message}`,
    })
    return () => []
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

function matchesOf(
  evaluate: typeof evaluateXPath,
  expression: Expression,
  page: PageContent,
  scope: Element | null,
): readonly (Element | string)[] {
  const { tree, budget } = page
  const value: XPathValue = evaluate(expression, page, scope)
  if (typeof value !== 'object') return Number.isNaN(value) ? [] : [textOfValue(value, budget)]
  const nodes = evaluate === evaluateFirst ? value.slice(0, 1) : value
  // The nodes of a path from the root are the same for each item, and are listed again for it.
  budget.work(MATCH_STEPS * nodes.length)
  return nodes.flatMap((node): (Element | string)[] => {
    if (!isParent(node)) return [stringOf(node, budget)]
    return isElement(node) ? [node] : tree.root === null ? [] : [tree.root]
  })
}
