import { analyse } from 'scslre'
import ts from 'typescript'
import { parseThoseWith } from './parse-source.ts'
import type { Sources } from './sources.ts'

/** A regular expression of a source, as it is written. */
export interface WrittenRegex {
  /** `path:line`. */
  readonly at: string
  readonly source: string
  readonly flags: string
}

/** Signs of a regular expression in the text of a file: two slashes in a line, or the name. */
const WORDS = /\bRegExp\b|(?<![/*:])\/(?![/*]).+\/(?!\/)/

/**
 * Every regex literal and `new RegExp` of some sources; `unread` are those whose pattern is made of
 * more than constants of their own file.
 */
export function findRegexes(sources: Sources): {
  readonly found: readonly WrittenRegex[]
  readonly unread: readonly string[]
} {
  const regexes: WrittenRegex[] = []
  const unread: string[] = []
  for (const { path, tree: file } of parseThoseWith(WORDS, sources)) {
    const constants = constantsOf(file)
    const lineOf = (node: ts.Node): string =>
      `${path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`
    const visit = (node: ts.Node): void => {
      if (ts.isRegularExpressionLiteral(node))
        regexes.push({ at: lineOf(node), ...partsOf(node.text) })
      else if (
        (ts.isNewExpression(node) || ts.isCallExpression(node)) &&
        node.expression.getText() === 'RegExp'
      ) {
        const [pattern, flags] = node.arguments ?? []
        const source = pattern === undefined ? null : textOf(pattern, constants)
        if (source === null) unread.push(`${lineOf(node)} ${node.getText()}`)
        else
          regexes.push({
            at: lineOf(node),
            source,
            flags: (flags === undefined ? null : textOf(flags, constants)) ?? '',
          })
      }
      ts.forEachChild(node, visit)
    }
    visit(file)
  }
  return { found: regexes, unread }
}

/** A count of this or more is seen as one without an end: it may be tried as often at each place. */
const MANY = 50

/** A pattern whose large counts have no end: ` +.{1,300}` becomes ` +.{1,}`. */
function widened(source: string): string {
  return source.replace(/\{(\d+),(\d+)\}/g, (count, least: string, most: string) =>
    Number(most) < MANY ? count : `{${least},}`,
  )
}

/**
 * Which of them can take more time than in proportion to their text, on some text, or many times
 * as much because of a large count.
 */
export function findSlow(regexes: readonly WrittenRegex[]): string[] {
  return regexes.flatMap(({ at, source, flags }) => {
    const { reports } = analyse(
      { source: widened(source), flags: flags.replace('d', '').replace('v', 'u') },
      { reportTypes: { Move: true, Self: true, Trade: true } },
    )
    return reports.length === 0
      ? []
      : [`${at} /${source}/${flags} (${[...new Set(reports.map(({ type }) => type))].join(', ')})`]
  })
}

function partsOf(literal: string): { readonly source: string; readonly flags: string } {
  const end = literal.lastIndexOf('/')
  return { source: literal.slice(1, end), flags: literal.slice(end + 1) }
}

/** Texts and patterns that a file names at its top. */
function constantsOf(file: ts.SourceFile): ReadonlyMap<string, string> {
  const constants = new Map<string, string>()
  for (const statement of file.statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (!ts.isIdentifier(name) || initializer === undefined) continue
      const text = ts.isRegularExpressionLiteral(initializer)
        ? partsOf(initializer.text).source
        : textOf(initializer, constants)
      if (text !== null) constants.set(name.text, text)
    }
  }
  return constants
}

function textOf(node: ts.Expression, constants: ReadonlyMap<string, string>): string | null {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text
  if (ts.isIdentifier(node)) return constants.get(node.text) ?? null
  if (
    ts.isPropertyAccessExpression(node) &&
    node.name.text === 'source' &&
    ts.isIdentifier(node.expression)
  )
    return constants.get(node.expression.text) ?? null
  if (
    ts.isTaggedTemplateExpression(node) &&
    node.tag.getText() === 'String.raw' &&
    ts.isNoSubstitutionTemplateLiteral(node.template)
  )
    return node.template.rawText ?? null
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const left = textOf(node.left, constants)
    const right = textOf(node.right, constants)
    return left === null || right === null ? null : left + right
  }
  if (!ts.isTemplateExpression(node)) return null
  let text = node.head.text
  for (const { expression, literal } of node.templateSpans) {
    const part = textOf(expression, constants)
    if (part === null) return null
    text += part + literal.text
  }
  return text
}
