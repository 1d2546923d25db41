import { join } from 'node:path'
import ts from 'typescript'
import type { PublicExport } from './public-api.ts'
import { root } from './sources.ts'

/** A public export with the entry that it belongs to. */
export interface EntryExport extends PublicExport {
  readonly entry: string
}

/**
 * Type-checks the `@example` blocks of public exports, all in one program. A block sees the names
 * of its own entry and of `seine`, and a `platform`; whatever else it uses it has to import, as a
 * reader would.
 */
export function checkExamples(exports: readonly EntryExport[]): string[] {
  const blocks = new Map<string, string>()
  const titles = new Map<string, string>()
  for (const { name, entry, examples } of exports) {
    for (const [index, example] of examples.entries()) {
      const path = join(root, `test/example-${blocks.size}.ts`)
      blocks.set(path, withImports(example, entry, exports))
      titles.set(path, `${entry}: ${name}, example ${index + 1}`)
    }
  }
  if (blocks.size === 0) return []
  const program = createProgram(blocks)
  return [...blocks.keys()].flatMap((path) => {
    const file = program.getSourceFile(path)
    return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
      ({ messageText }) =>
        `${titles.get(path)}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    )
  })
}

/** Adds an import of the names that a block uses and does not import or declare itself. */
function withImports(example: string, entry: string, exports: readonly EntryExport[]): string {
  const offered = new Map(
    exports
      .filter((one) => one.entry === 'seine' || one.entry === entry)
      .map((one) => [one.name, one.entry]),
  )
  const file = ts.createSourceFile('example.ts', example, ts.ScriptTarget.ESNext, true)
  const used = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) (isDeclaration(node) ? declared : used).add(node.text)
    ts.forEachChild(node, visit)
  }
  visit(file)
  const imports = [...offered]
    .filter(([name]) => used.has(name) && !declared.has(name))
    .map(([name, from]) => `import { ${name} } from '${from}'\n`)
  const platform =
    used.has('platform') && !declared.has('platform')
      ? "declare const platform: import('seine').Platform\n"
      : ''
  return `${imports.join('')}${platform}${example}\nexport {}\n`
}

function isDeclaration(node: ts.Identifier): boolean {
  const { parent } = node
  return (
    (ts.isImportSpecifier(parent) ||
      ts.isVariableDeclaration(parent) ||
      ts.isBindingElement(parent) ||
      ts.isFunctionDeclaration(parent)) &&
    parent.name === node
  )
}

function createProgram(blocks: ReadonlyMap<string, string>): ts.Program {
  const config = ts.getParsedCommandLineOfConfigFile(
    join(root, 'tsconfig.json'),
    { noEmit: true, verbatimModuleSyntax: false },
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} },
  )
  if (!config) throw new Error('tsconfig.json cannot be read')
  const host = ts.createCompilerHost(config.options)
  const { fileExists, getSourceFile, readFile } = host
  host.fileExists = (path) => blocks.has(path) || fileExists(path)
  host.readFile = (path) => blocks.get(path) ?? readFile(path)
  host.getSourceFile = (path, version) => {
    const text = blocks.get(path)
    return text === undefined
      ? getSourceFile(path, version)
      : ts.createSourceFile(path, text, version)
  }
  return ts.createProgram([...blocks.keys()], config.options, host)
}
