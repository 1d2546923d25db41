import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import type { PageContent } from '../page/page-content.ts'
import { evaluateXPath } from './evaluate-xpath.ts'
import { parseXPath } from './parse-xpath.ts'

/** A compiled XPath: elements, and the values of attributes and texts, in document order. */
export type XPath = (page: PageContent, scope: Element | null) => readonly (Element | string)[]

/**
 * Compiles an XPath of a recipe; what is wrong with it becomes an issue at `at`, and one that finds
 * nothing is returned.
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
      message: `${JSON.stringify(source.slice(0, 200))} is no XPath that can be used: ${error.message}`,
    })
    return () => []
  }
}
