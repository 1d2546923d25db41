import type { Completion, CompletionContext, CompletionSource } from '@codemirror/autocomplete'
import { isObject } from '../../../kernel/json.ts'
import { namesIn, pathOf, treeOf } from './json-tree.ts'
import type { SyntaxNode } from './json-tree.ts'

type Schema = Readonly<Record<string, unknown>>

/** Maximum depth of nested alternatives that are searched. */
const MOST_DEPTH = 6

/** Completes names and values by a JSON Schema that contains its definitions. */
export function completeFrom(schema: () => unknown): CompletionSource {
  return (context: CompletionContext) => {
    const root = schema()
    if (!isObject(root)) return null
    const { state, pos } = context
    const node = treeOf(state).resolveInner(pos, -1)
    const object = node.name === 'Object' ? node : objectOfName(node)
    if (object !== null) {
      const typed = context.matchBefore(/"?[\w-]*"?/)
      if (typed === null || (typed.from === typed.to && !context.explicit)) return null
      const names = namesIn(state, object)
      const text = typed.text.replaceAll('"', '')
      const options = schemasAt(root, pathOf(state, object))
        .flatMap((candidate) =>
          Object.entries(isObject(candidate['properties']) ? candidate['properties'] : {}),
        )
        .filter(([name]) => name === text || !names.includes(name))
        .map(([name, value]) => optionOf(root, name, value))
      return options.length === 0 ? null : { from: typed.from, options: uniqueOf(options) }
    }
    const typed = context.matchBefore(/"[\w-]*"?/)
    if (typed === null && !context.explicit) return null
    const property = node.name === 'Property' ? node : node.parent
    if (property?.name !== 'Property') return null
    const options = schemasAt(root, pathOf(state, property))
      .flatMap((candidate) => valuesOf(candidate))
      .map((value): Completion => ({ label: JSON.stringify(value), type: 'enum' }))
    return options.length === 0 ? null : { from: typed?.from ?? pos, options: uniqueOf(options) }
  }
}

/** The object whose name is being typed. `null`: a value is being typed. */
function objectOfName(node: SyntaxNode): SyntaxNode | null {
  const { parent } = node
  if (node.name === 'PropertyName') return parent?.parent ?? null
  // A name with only an opening quote does not count as a name yet.
  if (node.type.isError && parent !== null)
    return parent.name === 'Object'
      ? parent
      : parent.name === 'Property' && parent.getChild('PropertyName') === null
        ? parent.parent
        : null
  return node.name === '{' || node.name === ',' ? (parent?.name === 'Object' ? parent : null) : null
}

/** All schemas that may describe the value at a path. Each alternative is one. */
export function schemasAt(root: Schema, path: readonly (string | number)[]): readonly Schema[] {
  let schemas = alternativesOf(root, root)
  for (const step of path)
    schemas = schemas
      .flatMap((schema) => childrenOf(schema, step))
      .flatMap((child) => alternativesOf(root, child))
  return schemas
}

function childrenOf(schema: Schema, step: string | number): readonly unknown[] {
  const { properties, additionalProperties, items, prefixItems } = schema
  if (typeof step === 'number') return [Array.isArray(prefixItems) ? prefixItems[step] : items]
  return isObject(properties) && Object.hasOwn(properties, step)
    ? [properties[step]]
    : [additionalProperties]
}

function alternativesOf(root: Schema, value: unknown, depth = 0): readonly Schema[] {
  if (!isObject(value) || depth > MOST_DEPTH) return []
  const named = value['$ref']
  if (typeof named === 'string') return alternativesOf(root, definitionOf(root, named), depth + 1)
  const parts = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => {
    const list = value[word]
    return Array.isArray(list) ? list : []
  })
  return [value, ...parts.flatMap((part) => alternativesOf(root, part, depth + 1))]
}

function definitionOf(root: Schema, name: string): unknown {
  let value: unknown = root
  for (const step of name.replace(/^#\//, '').split('/'))
    value = isObject(value) ? value[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined
  return value
}

function valuesOf(schema: Schema): readonly unknown[] {
  if (schema['const'] !== undefined) return [schema['const']]
  if (Array.isArray(schema['enum'])) return schema['enum']
  return schema['type'] === 'boolean' ? [true, false] : []
}

/** A name with the beginning of its value. */
function optionOf(root: Schema, name: string, value: unknown): Completion {
  const [first, ...others] = alternativesOf(root, value)
  const about = [first, ...others].find(
    (candidate) => typeof candidate?.['description'] === 'string',
  )
  const info = about?.['description']
  const only = others.length === 0 ? first?.['type'] : undefined
  const begun = only === 'object' ? '{}' : only === 'array' ? '[]' : only === 'string' ? '""' : ''
  return {
    label: JSON.stringify(name),
    type: 'property',
    apply(view, _, from, to) {
      // A closing quote that the editor has added may follow, and the value of a renamed member.
      const after = view.state.sliceDoc(to, to + 40)
      const end = after.startsWith('"') ? to + 1 : to
      const hasValue = /^"?\s*:/.test(after)
      const insert = JSON.stringify(name) + (hasValue ? '' : `: ${begun}`)
      const back = hasValue || begun === '' ? 0 : 1
      view.dispatch({
        changes: { from, to: end, insert },
        selection: { anchor: from + insert.length - back },
        userEvent: 'input.complete',
      })
    },
    ...(typeof info === 'string' && { info }),
  }
}

function uniqueOf(options: readonly Completion[]): Completion[] {
  return [...new Map(options.map((option) => [option.label, option])).values()]
}
