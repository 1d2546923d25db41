import { XPathReader } from './xpath-reader.ts'
import type { LocationPath } from './xpath-parts.ts'

/**
 * Reads an XPath 1.0 location path, or several joined by `|`, as far as the axes and functions of
 * xpath-parts go.
 *
 * @throws {SyntaxError} naming the place that cannot be read
 */
export function parseXPath(source: string): readonly LocationPath[] {
  const reader = new XPathReader(source)
  const paths = reader.union()
  reader.end()
  return paths
}
