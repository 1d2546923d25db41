import type { Issue } from '../../kernel/errors.ts'
import { isList } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Field, Fields, FieldSource } from '../recipe/recipe-input.ts'
import { defaultOf } from './source/transform.ts'
import { hasValue } from './value/convert.ts'
import { SelectorSet } from './select/selector-set.ts'
import { compileShort, compileSource } from './source/compile-source.ts'
import type { Compiling, FieldGroup, Ground, Reader } from './source/place.ts'

/** Steps to read a field, whatever it finds. */
const FIELD_STEPS = 4
/** Bytes that a row takes besides its values. */
const ROW_BYTES = 64

/** Compiles fields. Errors are added to `issues` under `path`; a field with an error gives `null`. */
export function compileFields(
  fields: Fields,
  path: string,
  issues: Issue[],
  ground: Ground,
): FieldGroup {
  const selectors = new SelectorSet()
  const compiling: Compiling = {
    selectors,
    issues,
    ground,
    group: (inner, at, below) => compileFields(inner, at, issues, below),
  }
  const columns = Object.keys(fields)
  const places = columns.map((column) => `${path}.${column}`)
  const readers = columns.map((column) =>
    compileField(fields[column] ?? '', `${path}.${column}`, compiling),
  )
  const telling = columns.filter((column) => dependsOnContent(fields[column] ?? ''))
  const defaults = new Map(columns.map((column) => [column, defaultsOf(fields[column] ?? '')]))
  const isFound = (column: string, value: Json | undefined): boolean =>
    hasValue(value) && !(defaults.get(column)?.includes(value ?? null) ?? false)
  return {
    columns,
    isFound,
    isFilled: (row) =>
      telling.length === 0
        ? columns.some((column) => hasValue(row[column]))
        : telling.some((column) => isFound(column, row[column])),
    read(page, place) {
      const { budget } = page
      const row: Record<string, Json> = {}
      let at = 0
      try {
        budget.where = path
        budget.make(ROW_BYTES)
        const matches =
          selectors.size === 0 ? [] : selectors.find(page.tree, place.element, page.matching)
        for (; at < columns.length; at++) {
          budget.where = places[at] ?? path
          budget.work(FIELD_STEPS)
          row[columns[at] ?? ''] = readers[at]?.(page, matches, place) ?? null
        }
      } catch (error) {
        budget.settle(error, null)
        // A row has all its columns. Columns that were not read are empty.
        for (; at < columns.length; at++) row[columns[at] ?? ''] = null
      }
      return row
    },
  }
}

function compileField(field: Field, path: string, compiling: Compiling): Reader {
  if (!isList(field)) return compileOne(field, path, compiling)
  const readers = field.map((source, at) => compileOne(source, `${path}.${at}`, compiling))
  return (page, matches, place) => {
    let value: Json = null
    for (const read of readers) {
      value = read(page, matches, place)
      if (hasValue(value)) return value
    }
    return value
  }
}

function compileOne(source: string | FieldSource, path: string, compiling: Compiling): Reader {
  return typeof source === 'string'
    ? compileShort(source, path, compiling)
    : compileSource(source, path, compiling)
}

/** Returns a field's default values for the case that nothing matched. */
function defaultsOf(field: Field): readonly Json[] {
  const sources = typeof field === 'string' ? [] : isList(field) ? field : [field]
  return sources.flatMap((source) =>
    typeof source === 'string' || source.transform === undefined
      ? []
      : (defaultOf(source.transform) ?? []),
  )
}

function dependsOnContent(field: Field): boolean {
  if (typeof field === 'string') return true
  return isList(field)
    ? field.some(dependsOnContent)
    : field.const === undefined && field.url === undefined && field.page === undefined
}
