import { isXPath } from '../recipe/field-schema.ts'
import type { FieldSource } from '../recipe/recipe-input.ts'
import type { Recipe } from '../recipe/schema.ts'
import { sourcesOf } from './compile-model.ts'

/** Members of a source that say how to convert its matches. All other members say where to look. */
const HOW: readonly string[] = ['attr', 'as', 'many', 'fields', 'transform', 'group']
/** Members that locate elements. Other members say what is read from these elements. */
const ELEMENTS: readonly string[] = ['css', 'xpath', 'cell']

/** Returns the full form of a source that is written as a text. */
export function sourceOf(text: string): FieldSource {
  return text.startsWith('$') ? { json: text } : isXPath(text) ? { xpath: text } : { css: text }
}

/**
 * Returns the member that says where to look. Elements come first, because a pattern or a path may
 * be combined with them.
 */
export function kindOf(source: FieldSource): string {
  const kinds = Object.keys(source).filter((name) => !HOW.includes(name))
  return (
    kinds.find((name) => ELEMENTS.includes(name)) ??
    kinds.find((name) => name !== 'regex') ??
    kinds[0] ??
    ''
  )
}

/** Returns where a source looks, as the recipe says it. `text` is empty if the kind alone says it. */
export function namedSource(source: FieldSource): { readonly kind: string; readonly text: string } {
  const kind = kindOf(source)
  if (kind === 'url') return { kind, text: '' }
  const value = Object.entries(source).find(([name]) => name === kind)?.[1]
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return { kind, text: source.attr === undefined ? text : `${text} @${source.attr}` }
}

/**
 * Returns the sources of each column as texts such as `css: .price`, in the order in which they are
 * tried. A column that is a format has this as its source.
 */
export function sourceTexts(
  { extract }: Pick<Recipe, 'extract'>,
  columns: readonly string[],
): (readonly string[])[] {
  const fields = extract === 'auto' ? undefined : extract?.fields
  return columns.map((column) => {
    const field = fields !== undefined && Object.hasOwn(fields, column) ? fields[column] : undefined
    if (field !== undefined) return sourcesOf(field).map(sourceText)
    return [fields === undefined && column === 'url' ? column : `format: ${column}`]
  })
}

function sourceText(source: string | FieldSource): string {
  const { kind, text } = namedSource(typeof source === 'string' ? sourceOf(source) : source)
  return text === '' ? kind : `${kind}: ${text}`
}
