import ts from 'typescript'
import { parseThoseWith } from './parse-source.ts'
import type { Sources } from './sources.ts'

/** A way out to the network that a source takes by itself. */
export interface Outgoing {
  readonly file: string
  /** Which way, e.g. `fetch`, `node:https request`, `Fetcher.send`. */
  readonly way: string
}

/** Globals that open connections, wherever they are named. */
const GLOBALS: ReadonlySet<string> = new Set([
  'fetch',
  'WebSocket',
  'WebSocketStream',
  'XMLHttpRequest',
  'EventSource',
  'WebTransport',
  'sendBeacon',
  'importScripts',
])

/** Modules that open connections, and those of their exports that do; `*` for all. Types never do. */
const MODULES: Readonly<Record<string, readonly string[] | '*'>> = {
  http: ['request', 'get', 'Agent', 'ClientRequest', 'globalAgent'],
  https: ['request', 'get', 'Agent', 'globalAgent'],
  http2: ['connect'],
  net: ['connect', 'createConnection', 'Socket'],
  tls: ['connect', 'TLSSocket'],
  dgram: '*',
  dns: '*',
  'dns/promises': '*',
  undici: '*',
  ws: '*',
  aws4fetch: '*',
  nodemailer: '*',
  axios: '*',
  got: '*',
  'node-fetch': '*',
  ofetch: '*',
  ky: '*',
  'cloudflare:sockets': '*',
  'playwright-core': '*',
}

/** Words in the text of a file with a way out. */
const WORDS = new RegExp(
  `\\b(?:${[...GLOBALS, 'send'].join('|')})\\b|['"\`](?:node:)?(?:${Object.keys(MODULES).join('|')})['"\`]`,
)

/**
 * Every way out that the sources take, by their syntax tree: text in comments and strings does not
 * count.
 */
export function findOutgoing(sources: Sources): Outgoing[] {
  return parseThoseWith(WORDS, sources).flatMap(({ path: file, tree }) => {
    const ways = new Set<string>()
    const visit = (node: ts.Node): void => {
      for (const way of waysOf(node)) ways.add(way)
      ts.forEachChild(node, visit)
    }
    visit(tree)
    return [...ways].toSorted().map((way) => ({ file, way }))
  })
}

function waysOf(node: ts.Node): string[] {
  if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier))
    return importedWays(node, node.moduleSpecifier.text)
  if (
    ts.isExportDeclaration(node) &&
    node.moduleSpecifier &&
    ts.isStringLiteral(node.moduleSpecifier) &&
    !node.isTypeOnly
  )
    return wholeModule(node.moduleSpecifier.text)
  if (ts.isCallExpression(node)) return calledWays(node)
  if (ts.isIdentifier(node) && GLOBALS.has(node.text) && isValue(node)) return [node.text]
  return []
}

function importedWays(node: ts.ImportDeclaration, specifier: string): string[] {
  const module = specifier.replace(/^node:/, '')
  const dangerous = MODULES[module]
  const clause = node.importClause
  if (dangerous === undefined || !clause || clause.phaseModifier === ts.SyntaxKind.TypeKeyword)
    return []
  const { namedBindings } = clause
  if (clause.name || !namedBindings || ts.isNamespaceImport(namedBindings) || dangerous === '*')
    return wholeModule(specifier)
  return namedBindings.elements.flatMap((element) => {
    const name = (element.propertyName ?? element.name).text
    return !element.isTypeOnly && dangerous.includes(name) ? [`${specifier} ${name}`] : []
  })
}

function wholeModule(specifier: string): string[] {
  return specifier.replace(/^node:/, '') in MODULES ? [specifier] : []
}

function calledWays(node: ts.CallExpression): string[] {
  const [argument] = node.arguments
  const name = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.name.text
    : ts.isIdentifier(node.expression)
      ? node.expression.text
      : ''
  const isLoading =
    node.expression.kind === ts.SyntaxKind.ImportKeyword ||
    name === 'require' ||
    name === 'getBuiltinModule'
  if (isLoading && argument && ts.isStringLiteralLike(argument)) return wholeModule(argument.text)
  // Of all that is called `send` or `resolve`, a Fetcher's is called on something named for it.
  const target = ts.isPropertyAccessExpression(node.expression)
    ? node.expression.expression.getText()
    : ''
  return name === 'send' && /fetcher$/i.test(target) ? ['Fetcher.send'] : []
}

/** True where an identifier is read as a variable, or as a property of the global object. */
function isValue(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent) && parent.name === node)
    return /^(globalThis|self|window|global|navigator)$/.test(parent.expression.getText())
  if (ts.isTypeNode(parent) || ts.isTypeQueryNode(parent) || ts.isQualifiedName(parent))
    return false
  if (
    ts.isPropertySignature(parent) ||
    ts.isMethodSignature(parent) ||
    ts.isMethodDeclaration(parent)
  )
    return false
  if (
    (ts.isPropertyDeclaration(parent) ||
      ts.isParameter(parent) ||
      ts.isPropertyAssignment(parent)) &&
    parent.name === node
  )
    return false
  if (ts.isBindingElement(parent))
    return /^(globalThis|self|window|global)$/.test(initializerOf(parent))
  return !isDeclaredHere(node)
}

function initializerOf(element: ts.BindingElement): string {
  const declaration = element.parent.parent
  return ts.isVariableDeclaration(declaration) ? (declaration.initializer?.getText() ?? '') : ''
}

/** True if the file gives the name a meaning of its own: a function, a parameter, a variable. */
function isDeclaredHere(node: ts.Identifier): boolean {
  const { parent } = node
  if (
    (ts.isFunctionDeclaration(parent) ||
      ts.isFunctionExpression(parent) ||
      ts.isVariableDeclaration(parent)) &&
    parent.name === node
  )
    return true
  for (let scope: ts.Node | undefined = parent; scope; scope = scope.parent) {
    if (
      ts.isFunctionLike(scope) &&
      scope.parameters.some((parameter) => names(parameter.name).includes(node.text))
    )
      return true
    if (
      (ts.isBlock(scope) || ts.isSourceFile(scope)) &&
      scope.statements.some((statement) => declares(statement, node.text))
    )
      return true
  }
  return false
}

function declares(statement: ts.Statement, name: string): boolean {
  if (ts.isFunctionDeclaration(statement)) return statement.name?.text === name
  if (!ts.isVariableStatement(statement)) return false
  return statement.declarationList.declarations.some(
    (one) =>
      names(one.name).includes(name) &&
      !/^(globalThis|self|window|global)\b/.test(one.initializer?.getText() ?? ''),
  )
}

function names(name: ts.BindingName): string[] {
  return ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? names(element.name) : []))
}
