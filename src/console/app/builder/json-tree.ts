import { ensureSyntaxTree, syntaxTree } from '@codemirror/language'
import type { EditorState } from '@codemirror/state'

/** A part of a JSON text. */
export type SyntaxNode = ReturnType<typeof syntaxTree>['topNode']

/**
 * The tree of a whole text. The editor parses for some milliseconds at a time, so on a busy machine
 * its own tree may be incomplete. Here the whole text is parsed, in linear time.
 */
export function treeOf(state: EditorState): ReturnType<typeof syntaxTree> {
  return ensureSyntaxTree(state, state.doc.length, Infinity) ?? syntaxTree(state)
}

/** Kinds of nodes of a JSON tree that are values. */
const VALUES = ['Object', 'Array', 'String', 'Number', 'True', 'False', 'Null']

/**
 * The range in a text for a path of the API, such as `recipe.extract.fields.price`. If only a part
 * of the path exists, the range of that part.
 */
export function rangeAt(state: EditorState, path: string): { from: number; to: number } {
  const steps = path
    .replace(/^recipe(?:\.|$)/, '')
    .split('.')
    .filter(Boolean)
  let node: SyntaxNode | null = treeOf(state).topNode.firstChild
  let range = node
  let { length } = steps
  for (let start = 0; node !== null && start < length;) {
    // A name may contain a dot, so the longest existing name is used.
    let child: { readonly value: SyntaxNode | null; readonly range: SyntaxNode } | null = null
    let end = length
    for (; end > start && child === null; end--)
      child = childOf(state, node, steps.slice(start, end).join('.'))
    if (child === null) break
    start = end + 1
    range = child.range
    node = child.value
    if (node === null) length = start
  }
  return range === null ? { from: 0, to: 0 } : { from: range.from, to: range.to }
}

/** The names and positions that lead to a node, the outermost first. */
export function pathOf(state: EditorState, node: SyntaxNode): (string | number)[] {
  const path: (string | number)[] = []
  for (let inner = node; inner.parent !== null; inner = inner.parent) {
    const { parent } = inner
    if (inner.name === 'Property') path.unshift(nameOf(state, inner) ?? '')
    else if (parent.name === 'Array' && VALUES.includes(inner.name))
      path.unshift(valuesOf(parent).findIndex(({ from }) => from === inner.from))
  }
  return path
}

/** Names that an object already has. */
export function namesIn(state: EditorState, object: SyntaxNode): string[] {
  return object.getChildren('Property').flatMap((property) => nameOf(state, property) ?? [])
}

function childOf(state: EditorState, node: SyntaxNode, step: string) {
  if (node.name === 'Array') {
    const value = valuesOf(node)[Number(step)]
    return value === undefined ? null : { value, range: value }
  }
  const property = node.getChildren('Property').find((child) => nameOf(state, child) === step)
  if (property === undefined) return null
  const [value = null] = valuesOf(property)
  return { value, range: value ?? property }
}

function valuesOf(node: SyntaxNode): SyntaxNode[] {
  const values: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling)
    if (VALUES.includes(child.name)) values.push(child)
  return values
}

function nameOf(state: EditorState, property: SyntaxNode): string | null {
  const name = property.getChild('PropertyName')
  if (name === null) return null
  try {
    const text: unknown = JSON.parse(state.sliceDoc(name.from, name.to))
    return typeof text === 'string' ? text : null
  } catch {
    return null
  }
}
