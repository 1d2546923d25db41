import ts from 'typescript'
import type { Import } from './imports.ts'
import { parseSource, parseThoseWith } from './parse-source.ts'
import type { Sources } from './sources.ts'

/** Lines of each source, shortest first. */
export function lineCounts(sources: Sources): { path: string; lines: number }[] {
  return [...sources]
    .map(([path, text]) => ({ path, lines: text.replace(/\n$/, '').split('\n').length }))
    .toSorted((a, b) => a.lines - b.lines)
}

const TINY = 25
const SMALL = 40

/** Files of less than 25 lines, and files of less than 40 that one other file imports, or none. */
export function findSmallFiles(sources: Sources, imports: readonly Import[]): string[] {
  const importers = new Map<string, Set<string>>()
  for (const { kind, target, from } of imports)
    if (kind === 'file') importers.set(target, (importers.get(target) ?? new Set()).add(from))
  return lineCounts(sources).flatMap(({ path, lines }) =>
    lines < TINY || (lines < SMALL && (importers.get(path)?.size ?? 0) <= 1) ? [path] : [],
  )
}

const MOST_FILES = 30

/** Folders with more files than one can look through at once. */
export function findFullFolders(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.lastIndexOf('/')))
  return [...folders].flatMap(([folder, files]) => (files.length > MOST_FILES ? [folder] : []))
}

const WIDEST = 120
const URL_ALONE = /^[^A-Za-z]*https?:\/\/\S+$/

/** Lines above 120 columns, but for a bare URL, which cannot be divided. */
export function findWideLines(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) => {
      const content = line.trim()
      const isWide = line.length > WIDEST
      return isWide && !URL_ALONE.test(content) ? [`${path}:${index + 1}`] : []
    }),
  )
}

const PROSE = /^(?:\/\/|\/?\*|['"]|(?:test|it)\()/

/**
 * Comments, names of tests and strings in quotes above 120 columns. Other wide lines are in
 * templates: pages of several lines, statements.
 */
export function findWideProse(sources: Sources): string[] {
  return findWideLines(
    new Map(
      [...sources].map(([path, text]) => [
        path,
        text
          .split('\n')
          .map((line) => (PROSE.test(line.trim()) ? line : ''))
          .join('\n'),
      ]),
    ),
  )
}

/** Markdown without its code blocks and tables, which may be wide; lines keep their numbers. */
export function withoutTables(markdown: string): string {
  let isCode = false
  return markdown
    .split('\n')
    .map((line) => {
      const isFence = line.trim().startsWith('```')
      if (isFence) isCode = !isCode
      return isCode || isFence || line.trim().startsWith('|') ? '' : line
    })
    .join('\n')
}

const DIRECTIVE = /\b(oxlint|eslint)-disable|@ts-(ignore|nocheck|expect-error)\b/

/** Comments that switch a check off. Text in strings does not count. */
export function findDirectives(sources: Sources): string[] {
  return [...sources]
    .filter(([, text]) => DIRECTIVE.test(text))
    .flatMap(([path, text]) =>
      comments(path, text).flatMap((comment) =>
        DIRECTIVE.test(comment) ? [`${path}: ${comment}`] : [],
      ),
    )
}

function comments(path: string, text: string): string[] {
  const texts = new Set<string>()
  const file = parseSource(path, text)
  const visit = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? [])
      texts.add(text.slice(range.pos, range.end))
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? [])
      texts.add(text.slice(range.pos, range.end))
    for (const child of node.getChildren(file)) visit(child)
  }
  visit(file)
  return [...texts]
}

const GENERATED = /^\/\/ .*: do not edit\./
const CLAUSE = /^(?:\/\/|\/\*\*?|\*) +(?:What|Where)\b/

/**
 * Comments that begin with a clause, as in `What the run has found`: they do not name their
 * subject. Files that are made from schemas have the descriptions of those.
 */
export function findClauseComments(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    if (GENERATED.test(text)) return []
    const lines = text.split('\n').map((line) => line.trim())
    return lines.flatMap((line, index) => {
      const before = lines[index - 1] ?? ''
      const isLater = line.startsWith('*') ? before !== '/**' : before.startsWith('//')
      return CLAUSE.test(line) && !isLater ? [`${path}:${index + 1}`] : []
    })
  })
}

/** The beginning of a line that passes no names on. */
const OTHER_STATEMENT =
  /^(?:import|const|let|var|async|function|class|interface|type|declare|abstract|export (?!type \{|type \*|\{|\*))/m

/** Files that do nothing but pass names on, which only an entry may. */
export function findBarrels(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    if (OTHER_STATEMENT.test(text)) return []
    const { statements } = parseSource(path, text)
    return statements.length > 0 &&
      statements.every((statement) => ts.isExportDeclaration(statement))
      ? [path]
      : []
  })
}

/** Words that say how a value came about, not what it is. */
const GRAMMAR = new Set([
  'asked',
  'at',
  'found',
  'given',
  'heard',
  'kept',
  'known',
  'meant',
  'noted',
  'one',
  'said',
  'taken',
  'theirs',
  'told',
  'wanted',
  'written',
])
/** The sign in the text of a file that gives such a name to anything: after a bracket, a comma, … */
const GRAMMAR_NAME = new RegExp(
  `(?:[({[,:]|\\b(?:const|let|var|using)|\\.\\.\\.)\\s*(?:${[...GRAMMAR].join('|')})\\b`,
)

/**
 * Locals and parameters named by such a word. A name that is taken over from a field of an object
 * says what the field is.
 */
export function findGrammarNames(sources: Sources): string[] {
  return parseThoseWith(GRAMMAR_NAME, sources).flatMap(({ path, tree: file }) => {
    const names: string[] = []
    const visit = (node: ts.Node): void => {
      if (isOwnName(node) && GRAMMAR.has(node.text)) {
        const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
        names.push(`${path}:${line + 1}: ${node.text}`)
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
    return names
  })
}

function isOwnName(node: ts.Node): node is ts.Identifier {
  if (!ts.isIdentifier(node)) return false
  const { parent } = node
  if (ts.isVariableDeclaration(parent) || ts.isParameter(parent)) return parent.name === node
  if (!ts.isBindingElement(parent) || parent.name !== node) return false
  return parent.propertyName !== undefined || ts.isArrayBindingPattern(parent.parent)
}
