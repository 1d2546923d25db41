import ts from 'typescript'
import { parseThoseWith } from './parse-source.ts'
import type { Sources } from './sources.ts'

/** A place that takes a part of an address, or puts one together. */
export interface AddressPart {
  readonly file: string
  /** The use of the address, e.g. `reads origin`, `builds a URL`, `reads request.url`. */
  readonly way: string
}

const PARTS: ReadonlySet<string> = new Set(['origin', 'host', 'protocol', 'href'])
const REQUESTS = /(?:^|\.)(?:request|incoming|req|call|asked)$/

/** Words in the text of a file with such a use. */
const WORDS =
  /\b(?:origin|host|protocol|href|(?:x-)?forwarded(?:-host)?)\b|\burl\b|\/\/['"`]|['"`]\/\/|:\/\//i

/**
 * Every place that could make a base of links by itself, by the syntax tree: it reads an origin,
 * the URL of a request or a header that names a host, or it puts `scheme://` before something.
 */
export function findAddressParts(sources: Sources): AddressPart[] {
  return parseThoseWith(WORDS, sources).flatMap(({ path: file, tree }) => {
    const ways = new Set<string>()
    const visit = (node: ts.Node): void => {
      const way = wayOf(node)
      if (way !== null) ways.add(way)
      ts.forEachChild(node, visit)
    }
    visit(tree)
    return [...ways].toSorted().map((way) => ({ file, way }))
  })
}

function wayOf(node: ts.Node): string | null {
  if (ts.isPropertyAccessExpression(node)) {
    const name = node.name.text
    if (PARTS.has(name)) return `reads ${name}`
    return name === 'url' && REQUESTS.test(node.expression.getText()) ? 'reads request.url' : null
  }
  if (ts.isBindingElement(node)) {
    const name = (node.propertyName ?? node.name).getText()
    if (name === 'origin' || name === 'protocol' || name === 'href') return `reads ${name}`
    return name === 'url' && REQUESTS.test(sourceOf(node)) ? 'reads request.url' : null
  }
  if (ts.isTemplateExpression(node)) {
    const text = [node.head, ...node.templateSpans.map(({ literal }) => literal)]
    return text.some((part) => part.text.includes('://')) ? 'builds a URL' : null
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return [node.left, node.right].some(
      (side) => ts.isStringLiteralLike(side) && /^(?:https?:)?\/\/|:\/\/$/.test(side.text),
    )
      ? 'builds a URL'
      : null
  if (ts.isStringLiteralLike(node) && /^(?:host|x-forwarded-host|forwarded)$/i.test(node.text))
    return isAsked(node) ? 'reads the header Host' : null
  return null
}

/** The source of the values of an object pattern. */
function sourceOf(element: ts.BindingElement): string {
  const declaration = element.parent.parent
  if (ts.isVariableDeclaration(declaration)) return declaration.initializer?.getText() ?? ''
  return ts.isParameter(declaration) ? `.${typeNameOf(declaration)}` : ''
}

function typeNameOf({ type }: ts.ParameterDeclaration): string {
  return /\b(?:Request|Incoming|LazyRequest)\b/.test(type?.getText() ?? '') ? 'request' : ''
}

function isAsked({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent) && /\bget$/.test(parent.expression.getText())
}
