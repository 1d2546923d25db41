import { posix } from 'node:path'
import ts from 'typescript'
import { parseSource } from './parse-source.ts'
import type { Sources } from './sources.ts'

/** A name that an entry of the package exports. */
export interface PublicExport {
  readonly name: string
  /** The place of its declaration: a source, or the dependency that it is passed on from. */
  readonly declaredIn: string
  readonly documented: boolean
  /** True for functions and classes. */
  readonly isCode: boolean
  /** Bodies of its `@example` tags. */
  readonly examples: readonly string[]
}

/**
 * The public exports of an entry file, followed to their declarations. Throws where a name leads
 * nowhere.
 */
export function publicExports(entry: string, sources: Sources): PublicExport[] {
  const file = parse(entry, sources)
  return file.statements.flatMap((statement) => {
    if (ts.isExportDeclaration(statement)) return passedOn(statement, entry, sources)
    return declaredNames(statement).map((name) => describe(name, name, entry, sources))
  })
}

function passedOn(statement: ts.ExportDeclaration, from: string, sources: Sources): PublicExport[] {
  const target = targetOf(statement, from)
  if (!statement.exportClause) return publicExports(target, sources)
  if (ts.isNamespaceExport(statement.exportClause))
    throw new Error(`${from}: name each export, not a namespace`)
  return statement.exportClause.elements.map((element) =>
    describe(element.name.text, (element.propertyName ?? element.name).text, target, sources),
  )
}

function describe(name: string, declared: string, path: string, sources: Sources): PublicExport {
  if (!sources.has(path))
    return { name, declaredIn: path, documented: true, isCode: false, examples: [] }
  const file = parse(path, sources)
  const nodes = file.statements.filter(
    (statement) =>
      !ts.isExportDeclaration(statement) && declaredNames(statement).includes(declared),
  )
  if (nodes.length > 0) {
    const docs = nodes.flatMap((node) => ts.getJSDocCommentsAndTags(node)).filter(ts.isJSDoc)
    return {
      name,
      declaredIn: path,
      isCode: nodes.some((node) => ts.isFunctionDeclaration(node) || ts.isClassDeclaration(node)),
      documented: docs.some((doc) => (ts.getTextOfJSDocComment(doc.comment) ?? '').trim() !== ''),
      examples: docs.flatMap((doc) => doc.tags ?? []).flatMap(exampleOf),
    }
  }
  for (const statement of file.statements.filter(ts.isExportDeclaration)) {
    const origin = passedOn(statement, path, sources).find((passed) => passed.name === declared)
    if (origin) return { ...origin, name }
  }
  throw new Error(`${path} exports no ${declared}`)
}

function exampleOf(tag: ts.JSDocTag): string[] {
  if (tag.tagName.text !== 'example') return []
  const text = ts.getTextOfJSDocComment(tag.comment) ?? ''
  return [text.replace(/^```\w*\n|\n```\s*$/g, '')]
}

/** Names that a statement declares and exports. */
function declaredNames(statement: ts.Statement): string[] {
  const exported =
    ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  if (!exported) return []
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) =>
      ts.isIdentifier(name) ? [name.text] : [],
    )
  if (ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement))
    return statement.name ? [statement.name.text] : []
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)
    ? [statement.name.text]
    : []
}

function targetOf(statement: ts.ExportDeclaration, from: string): string {
  const specifier = statement.moduleSpecifier
  if (!specifier || !ts.isStringLiteral(specifier)) return from
  return specifier.text.startsWith('.')
    ? posix.join(posix.dirname(from), specifier.text)
    : specifier.text
}

function parse(path: string, sources: Sources): ts.SourceFile {
  const text = sources.get(path)
  if (text === undefined) throw new Error(`${path} does not exist`)
  return parseSource(path, text)
}
