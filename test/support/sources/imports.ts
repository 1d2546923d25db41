import { posix } from 'node:path'
import ts from 'typescript'
import type { Sources } from './sources.ts'

/** One import, export-from, `import()` or `import('…')` type, as written and where it leads. */
export interface Import {
  readonly from: string
  readonly specifier: string
  /**
   * `file`: a source of ours; `seam`: a `#name`; `runtime`: a runtime's own module; `package`: a
   * dependency; `missing`: no such file.
   */
  readonly kind: 'file' | 'seam' | 'runtime' | 'package' | 'missing'
  /** The path of the file, the package's name, or the specifier itself. */
  readonly target: string
  /** True if it is gone after type erasure. */
  readonly typeOnly: boolean
}

/**
 * The targets of the names that are neither relative nor dependencies: `seine`, `seine/node`,
 * `#fetcher`.
 */
export type Aliases = Readonly<Record<string, readonly string[]>>

/** Every import of every source, resolved. */
export function findImports(sources: Sources, aliases: Aliases): Import[] {
  const paths = new Set(sources.keys())
  return [...sources].flatMap(([from, text]) =>
    specifiersOf(from, text).map(({ specifier, typeOnly }) => ({
      from,
      specifier,
      typeOnly,
      ...resolve(from, specifier, paths, aliases),
    })),
  )
}

interface Specifier {
  readonly specifier: string
  readonly typeOnly: boolean
}

/** The specifiers of texts, as several checks read the same sources. */
const cached = new Map<string, readonly Specifier[]>()
const ANY_IMPORT = /\bfrom\s*['"]|\bimport\s*[('"]/g

function specifiersOf(path: string, text: string): readonly Specifier[] {
  const earlier = cached.get(text)
  if (earlier) return earlier
  const specifiers: Specifier[] = []
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node)
    if (specifier) specifiers.push(specifier)
    ts.forEachChild(node, visit)
  }
  // The text after the last import need not be parsed.
  const end = [...text.matchAll(ANY_IMPORT)].at(-1)?.index
  if (end !== undefined)
    visit(ts.createSourceFile(path, linesUpTo(end, text), ts.ScriptTarget.ESNext))
  cached.set(text, specifiers)
  return specifiers
}

/** The text up to a place, with the rest of its line and the two lines after it. */
function linesUpTo(position: number, text: string): string {
  let end = position
  for (let line = 0; line < 3 && end !== -1; line++) end = text.indexOf('\n', end + 1)
  return end === -1 ? text : text.slice(0, end)
}

function specifierOf(node: ts.Node): Specifier | null {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
    return {
      specifier: node.moduleSpecifier.text,
      typeOnly: node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword,
    }
  }
  if (
    ts.isExportDeclaration(node) &&
    node.moduleSpecifier &&
    ts.isStringLiteral(node.moduleSpecifier)
  ) {
    return { specifier: node.moduleSpecifier.text, typeOnly: node.isTypeOnly }
  }
  if (
    ts.isImportTypeNode(node) &&
    ts.isLiteralTypeNode(node.argument) &&
    ts.isStringLiteral(node.argument.literal)
  ) {
    return { specifier: node.argument.literal.text, typeOnly: true }
  }
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
    const [argument] = node.arguments
    // A computed specifier could lead anywhere, so it leads nowhere known.
    return {
      specifier: argument && ts.isStringLiteralLike(argument) ? argument.text : '(computed)',
      typeOnly: false,
    }
  }
  return null
}

const RUNTIME = /^(node|bun|deno|cloudflare|workerd):|^bun$/

function resolve(
  from: string,
  specifier: string,
  paths: ReadonlySet<string>,
  aliases: Aliases,
): Pick<Import, 'kind' | 'target'> {
  const [alias] = aliases[specifier] ?? []
  if (specifier.startsWith('#'))
    return { kind: alias ? 'seam' : 'missing', target: alias ?? specifier }
  if (alias) return { kind: 'file', target: alias }
  if (specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(from), specifier)
    return { kind: paths.has(target) ? 'file' : 'missing', target }
  }
  if (RUNTIME.test(specifier)) return { kind: 'runtime', target: specifier }
  if (!/^(@[\w.-]+\/)?[\w.-]+(\/|$)/.test(specifier)) return { kind: 'missing', target: specifier }
  return {
    kind: 'package',
    target: specifier
      .split('/')
      .slice(0, specifier.startsWith('@') ? 2 : 1)
      .join('/'),
  }
}

/** Groups of files that import one another in a ring; type-only imports count. */
export function findCycles(imports: readonly Import[], aliases: Aliases): string[][] {
  const edges = new Map<string, Set<string>>()
  for (const { from, kind, specifier, target } of imports) {
    const targets = kind === 'seam' ? (aliases[specifier] ?? []) : kind === 'file' ? [target] : []
    const set = edges.get(from) ?? new Set()
    for (const to of targets) set.add(to)
    edges.set(from, set)
  }
  const reach = new Map([...edges.keys()].map((file) => [file, reachable(file, edges)]))
  const rings = new Map<string, string[]>()
  for (const [file, targets] of reach) {
    if (!targets.has(file)) continue
    const ring = [...targets].filter((other) => reach.get(other)?.has(file)).toSorted()
    rings.set(ring.join(' '), ring)
  }
  return [...rings.values()]
}

/** Every file that can be reached from one, itself only if through a ring. */
export function reachable(
  start: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): Set<string> {
  const seen = new Set<string>()
  const open = [start]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of edges.get(file) ?? []) {
      if (seen.has(next)) continue
      seen.add(next)
      open.push(next)
    }
  }
  return seen
}
