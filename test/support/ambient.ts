import ts from 'typescript'
import { parseThoseWith } from './sources/parse-source.ts'
import type { Sources } from './sources/sources.ts'

/** Names by which code reaches the network, the time or randomness without injection. */
const NETWORK =
  /^(globalThis\.)?(fetch|XMLHttpRequest|WebSocket|WebSocketStream|EventSource|WebTransport|navigator\.sendBeacon)$/
const TIME =
  /^(globalThis\.)?(Date\.now|performance\.now|setTimeout|setInterval|AbortSignal\.timeout|scheduler\.\w+|Temporal\.Now\.\w+)$/
const CHANCE = /^(globalThis\.)?(Math\.random|crypto\.(getRandomValues|randomUUID))$/

/** Words in the text of a file with such a use. */
const WORDS =
  /(?:globalThis\.|(?<!\.)\b)(?:fetch|XMLHttpRequest|WebSocket\w*|EventSource|WebTransport|setTimeout|setInterval)\b|navigator\.sendBeacon|(?:Date|performance)\.now|AbortSignal\.timeout|scheduler\.|Temporal\.Now|Math\.random|crypto\.(?:getRandomValues|randomUUID)|new\s+Date\b(?!\(\w)/

/** A use of such a name: its place and the name. */
export interface AmbientUse {
  readonly path: string
  readonly what: string
  readonly kind: 'network' | 'time' | 'chance'
}

/**
 * Every use of the network, the clock or randomness that is not injected; a value passed on counts
 * like a call.
 */
export function findAmbientUses(sources: Sources): AmbientUse[] {
  return parseThoseWith(WORDS, sources).flatMap(({ path, tree: file }) => {
    const uses: AmbientUse[] = []
    const visit = (node: ts.Node): void => {
      const use = useOf(node, file)
      if (use) uses.push({ path, ...use })
      else ts.forEachChild(node, visit)
    }
    visit(file)
    return uses
  })
}

function useOf(node: ts.Node, file: ts.SourceFile): Omit<AmbientUse, 'path'> | null {
  if (
    ts.isNewExpression(node) &&
    node.expression.getText(file) === 'Date' &&
    !node.arguments?.length
  )
    return { kind: 'time', what: 'new Date()' }
  if (!ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node)) return null
  if (ts.isIdentifier(node) && !isValue(node)) return null
  const what = node.getText(file)
  if (NETWORK.test(what)) return { kind: 'network', what }
  if (TIME.test(what)) return { kind: 'time', what }
  return CHANCE.test(what) ? { kind: 'chance', what } : null
}

/**
 * False for the name of a member, a declaration or a type: `platform.fetch`, `fetch(request) {}`,
 * `{ fetch: … }`.
 */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node
  const isName =
    'name' in parent && parent.name === node && !ts.isShorthandPropertyAssignment(parent)
  return (
    !isName &&
    !ts.isTypeNode(parent) &&
    !ts.isImportSpecifier(parent) &&
    !ts.isExportSpecifier(parent)
  )
}
