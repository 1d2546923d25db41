import ts from 'typescript'
import { parseThoseWith } from '../sources/parse-source.ts'
import type { Sources } from '../sources/sources.ts'

const METHODS = new Set(['get', 'list', 'commit'])
/** Words in the text of a file with such a call. */
const WORDS = /store\s*[?!]*\s*\.\s*(?:get|list|commit)\b/i

/** Every call of a Store's method on something that is named for a store. */
export function findStoreCalls(sources: Sources): { path: string; call: string }[] {
  return parseThoseWith(WORDS, sources).flatMap(({ path, tree: file }) => {
    const calls: { path: string; call: string }[] = []
    const visit = (node: ts.Node): void => {
      if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
        const { expression, name } = node.expression
        if (METHODS.has(name.text) && /store$/i.test(expression.getText(file)))
          calls.push({ path, call: node.expression.getText(file) })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
    return calls
  })
}
