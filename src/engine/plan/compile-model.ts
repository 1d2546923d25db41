import { typeOfReading } from '../recipe/field-schema.ts'
import { isList } from '../../kernel/json.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Field, Fields, FieldSource } from '../recipe/recipe-input.ts'

/** A column whose values a model may fill. */
export interface ModelColumn {
  readonly column: string
  /** Position of the model in the list of the field's sources, from 0. */
  readonly alternative: number
  /** The path of the source: `extract.fields.price.1`. */
  readonly path: string
  readonly source: FieldSource & { readonly model: string }
}

/** The questions to a model about a recipe's pages. */
export interface ModelPlan {
  /**
   * The unit of a row: the page, an item that a selector finds, or something that the model finds
   * by this description.
   */
  readonly rows: 'page' | 'items' | { readonly model: string }
  readonly columns: readonly ModelColumn[]
}

/** Types that a model cannot produce, neither for a page nor for an item. */
const OF_ELEMENTS = ['html', 'markdown']

/**
 * Returns the description in `items: ":model(…)"`, by which a model finds the rows itself, or
 * `null` for any other `items`.
 */
export function modelItems(items: string | undefined): string | null {
  return (items === undefined ? undefined : /^:model\((.*)\)$/s.exec(items)?.[1]?.trim()) || null
}

/**
 * Compiles what a recipe leaves to a model, or returns `null` if that is nothing. Errors are added
 * to the issues.
 */
export function compileModel(
  items: string | undefined,
  fields: Fields,
  issues: Issue[],
): ModelPlan | null {
  const columns = Object.entries(fields).flatMap(
    ([column, field]) => columnOf(column, field, `extract.fields.${column}`, issues) ?? [],
  )
  const words = modelItems(items)
  if (words !== null && columns.length === 0)
    issues.push({
      path: 'extract.items',
      message:
        'are found by a model, so at least one field must be read by it: { "model": "what it is" }',
    })
  return columns.length === 0
    ? null
    : { rows: words !== null ? { model: words } : items === undefined ? 'page' : 'items', columns }
}

/** True if a model is one of a field's sources. */
export function asksModel(field: Field): boolean {
  return sourcesOf(field).some(isModel)
}

function columnOf(column: string, field: Field, path: string, issues: Issue[]): ModelColumn | null {
  const sources = sourcesOf(field)
  const pathOf = (index: number): string => (isList(field) ? `${path}.${index}` : path)
  for (const [position, source] of sources.entries()) {
    if (!isModel(source)) refuseBelow(source, pathOf(position), issues)
    else if (position < sources.length - 1)
      issues.push({
        path: `${pathOf(position)}.model`,
        message: 'is asked only for what nothing else finds, so it must be the last of the list',
      })
  }
  const last = sources.at(-1)
  if (last === undefined || !isModel(last)) return null
  const lastPath = pathOf(sources.length - 1)
  checkSource(last, lastPath, issues)
  return { column, alternative: sources.length - 1, path: lastPath, source: last }
}

/**
 * Adds an issue for a model source below a selector. A model reads a row as a whole, so it cannot
 * fill nested matches.
 */
function refuseBelow(source: string | FieldSource, path: string, issues: Issue[]): void {
  if (typeof source === 'string') return
  for (const [name, field] of Object.entries(source.fields ?? {})) {
    for (const inner of sourcesOf(field)) {
      if (isModel(inner))
        issues.push({
          path: `${path}.fields.${name}`,
          message:
            'is read by a model within what a selector matches; make that selector the items, or ' +
            'let the model read the whole field',
        })
      else refuseBelow(inner, `${path}.fields.${name}`, issues)
    }
  }
}

function checkSource({ as, fields }: FieldSource, path: string, issues: Issue[]): void {
  const type = as && typeOfReading(as)
  if (type !== undefined && OF_ELEMENTS.includes(type))
    issues.push({ path: `${path}.as`, message: `is ${type}, which needs an element` })
  for (const [name, field] of Object.entries(fields ?? {})) {
    const inner = modelSource(field)
    if (inner === null)
      issues.push({
        path: `${path}.fields.${name}`,
        message: 'is below a model, which reads all of it: write { "model": "what it is" }',
      })
    else checkSource(inner, `${path}.fields.${name}`, issues)
  }
}

/** Returns the columns below a source that a model reads. */
export function modelFields(
  fields: Fields,
): readonly { readonly column: string; readonly source: ModelColumn['source'] }[] {
  return Object.entries(fields).flatMap(([column, field]) => {
    const source = modelSource(field)
    return source === null ? [] : [{ column, source }]
  })
}

function modelSource(field: Field): ModelColumn['source'] | null {
  return typeof field !== 'string' && !isList(field) && isModel(field) ? field : null
}

function isModel(source: string | FieldSource): source is ModelColumn['source'] {
  return typeof source !== 'string' && source.model !== undefined
}

/** Returns a field's sources in the order in which they are tried. */
export function sourcesOf(field: Field): readonly (string | FieldSource)[] {
  return isList(field) ? field : [field]
}
