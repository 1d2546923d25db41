import { join } from 'node:path'
import ts from 'typescript'
import { root } from './sources.ts'

/** Utility types that stand for the members that they leave, not for the type that they take. */
const SELECTIONS: ReadonlySet<string> = new Set(['Omit', 'Pick'])

/**
 * Every type of this repository that a signature of the entries names and that none of them
 * exports, as `path: Name, named by Owner`. What a signature derives from a type (`typeof`, `Pick`,
 * `Omit`, the type of one member) is followed to its members: the type itself needs no name.
 * Members that the declarations leave out (`@internal`, private ones) are not looked at. `planted`:
 * texts of files that are read instead of those on the disk.
 */
export function unexportedTypes(
  entries: readonly string[],
  planted: ReadonlyMap<string, string> = new Map(),
): string[] {
  const program = programOf(
    entries.map((entry) => join(root, entry)),
    planted,
  )
  const checker = program.getTypeChecker()
  const exported = new Map<ts.Symbol, string>()
  for (const entry of entries) {
    const file = program.getSourceFile(join(root, entry))
    const module = file && checker.getSymbolAtLocation(file)
    if (!module) throw new Error(`${entry} is no module`)
    for (const symbol of checker.getExportsOfModule(module))
      exported.set(declared(symbol, checker), symbol.name)
  }
  const walk = new Walk(checker, exported)
  for (const [symbol, name] of exported) walk.visit(symbol, name)
  return walk.unexported()
}

/** Walks over signatures, each once. */
class Walk {
  readonly #checker: ts.TypeChecker
  readonly #exported: ReadonlyMap<ts.Symbol, string>
  readonly #seen = new Set<ts.Symbol>()
  readonly #missing = new Map<ts.Symbol, string>()

  constructor(checker: ts.TypeChecker, exported: ReadonlyMap<ts.Symbol, string>) {
    this.#checker = checker
    this.#exported = exported
  }

  unexported(): string[] {
    return [...this.#missing]
      .map(([symbol, owner]) => `${pathOf(symbol)}: ${symbol.name}, named by ${owner}`)
      .toSorted()
  }

  /** Walks over what a symbol declares. */
  visit(symbol: ts.Symbol, owner: string): void {
    if (this.#seen.has(symbol)) return
    this.#seen.add(symbol)
    for (const declaration of symbol.declarations ?? []) this.#walk(declaration, owner)
  }

  #walk(node: ts.Node, owner: string): void {
    if (ts.isBlock(node) || isLeftOut(node)) return
    if (ts.isTypeReferenceNode(node)) return this.#reference(node, node.typeName, owner)
    if (ts.isExpressionWithTypeArguments(node)) return this.#reference(node, node.expression, owner)
    if (ts.isTypeQueryNode(node)) return
    if (ts.isIndexedAccessTypeNode(node)) return this.#member(node, owner)
    if (ts.isParameter(node) || ts.isPropertyDeclaration(node) || ts.isVariableDeclaration(node)) {
      if (node.type) this.#walk(node.type, owner)
      return
    }
    ts.forEachChild(node, (child) => this.#walk(child, owner))
  }

  #reference(
    node: ts.TypeReferenceNode | ts.ExpressionWithTypeArguments,
    name: ts.Node,
    owner: string,
  ): void {
    if (SELECTIONS.has(name.getText()))
      return this.#members(this.#checker.getTypeAtLocation(node), owner)
    const symbol = this.#checker.getSymbolAtLocation(name)
    if (symbol) this.#note(declared(symbol, this.#checker), owner)
    for (const argument of node.typeArguments ?? []) this.#walk(argument, owner)
  }

  #note(symbol: ts.Symbol, owner: string): void {
    if (symbol.flags & ts.SymbolFlags.TypeParameter || pathOf(symbol) === null) return
    if (!this.#exported.has(symbol) && !this.#missing.has(symbol)) this.#missing.set(symbol, owner)
    this.visit(symbol, symbol.name)
  }

  #members(type: ts.Type, owner: string): void {
    for (const property of type.getProperties()) this.visit(property, `${owner}.${property.name}`)
  }

  /** `Type['member']` names the type of the member; `(typeof LIST)[number]` names nothing. */
  #member(node: ts.IndexedAccessTypeNode, owner: string): void {
    const { objectType, indexType } = node
    if (!ts.isLiteralTypeNode(indexType) || !ts.isStringLiteral(indexType.literal))
      return this.#walk(objectType, owner)
    const member = this.#checker.getTypeAtLocation(objectType).getProperty(indexType.literal.text)
    if (member) this.visit(member, owner)
  }
}

/** The file of a symbol of this repository, from its root. `null`: it is of a library. */
function pathOf(symbol: ts.Symbol): string | null {
  const path = symbol.declarations?.[0]?.getSourceFile().fileName
  return path?.startsWith(root) && !path.includes('node_modules') ? path.slice(root.length) : null
}

/** Whether the declarations of the package leave out a member. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isClassElement(node)) {
    if (node.name && ts.isPrivateIdentifier(node.name)) return true
    if (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) return true
  }
  return ts.getJSDocTags(node).some(({ tagName }) => tagName.text === 'internal')
}

function declared(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function programOf(files: string[], planted: ReadonlyMap<string, string>): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, root)
  const host = ts.createCompilerHost(options, true)
  const { readFile, fileExists } = host
  const textOf = (path: string) => planted.get(path.slice(root.length))
  host.readFile = (path) => textOf(path) ?? readFile(path)
  host.fileExists = (path) => textOf(path) !== undefined || fileExists(path)
  const ambient = fileNames.filter((path) => path.endsWith('.d.ts'))
  return ts.createProgram([...files, ...ambient], options, host)
}
