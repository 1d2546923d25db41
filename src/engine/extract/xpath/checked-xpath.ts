import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import type { PageContent } from '../page/page-content.ts'
import { evaluateXPath } from './evaluate-xpath.ts'
import { XPathReader } from './xpath-reader.ts'
import type { LocationPath } from './xpath-parts.ts'

/** A compiled XPath. Returns elements, and the values of attributes and texts, in document order. */
export type XPath = (page: PageContent, scope: Element | null) => readonly (Element | string)[]

/**
 * Compiles a recipe's XPath. For an invalid path, adds an issue at `at` and returns a path that
 * finds nothing.
 */
export function checkedXPath(source: string, at: string, issues: Issue[]): XPath {
  try {
    const paths = parseXPath(source)
    return (page, scope) =>
      page.kind === 'html' || page.kind === 'xml'
        ? evaluateXPath(paths, page.tree, scope, page.budget)
        : []
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    issues.push({
      path: at,
      message: `${JSON.stringify(source.slice(0, 200))} is not a supported XPath: ${error.message}`,
    })
    return () => []
  }
}

/**
 * Parses an XPath 1.0 location path, or several joined by `|`, with the axes and functions of
 * xpath-parts.
 *
 * @throws {SyntaxError} naming the place that cannot be read
 */
export function parseXPath(source: string): readonly LocationPath[] {
  const reader = new XPathReader(source)
  const paths = reader.union()
  reader.end()
  return paths
}
