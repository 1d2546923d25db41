import type { Issue } from '../../kernel/errors.ts'
import { isList } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Field, Fields, FieldSource } from '../recipe/recipe-input.ts'
import { defaultOf } from './source/transform.ts'
import { hasValue } from './value/convert.ts'
import { SelectorSet } from './select/selector-set.ts'
import { sourceCode } from './source-trace.ts'
import { compileShort, compileSource } from './source/compile-source.ts'
import type { Parts } from './page/in-turns.ts'
import type { PageContent } from './page/page-content.ts'
import { readParts } from './source/reader.ts'
import type {
  Compiling,
  FieldGroup,
  Ground,
  Matches,
  RowNode,
  ValueReader,
} from './source/reader.ts'

/** Steps to read a field, whatever it finds. */
const FIELD_STEPS = 4
/** Bytes that a row takes besides its values. */
const ROW_BYTES = 64
/** The code of a column's only source. */
const ONLY = sourceCode(0)

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
    group: (inner, innerPath, below) => compileFields(inner, innerPath, issues, below),
  }
  const columns = Object.keys(fields)
  const columnPaths = columns.map((column) => `${path}.${column}`)
  const readers = columns.map((column) =>
    compileField(fields[column] ?? '', `${path}.${column}`, compiling),
  )
  // A value of any other column can only come from its single source.
  const choosing = columns.map((column) => hasChoice(fields[column] ?? ''))
  const telling = columns.filter((column) => dependsOnContent(fields[column] ?? ''))
  const defaults = new Map(columns.map((column) => [column, defaultsOf(fields[column] ?? '')]))
  const isFound = (column: string, value: Json | undefined): boolean =>
    hasValue(value) && !(defaults.get(column)?.includes(value ?? null) ?? false)
  const readingOf: FieldGroup['reading'] = (page, node, trace) => {
    const { budget } = page
    const row: Record<string, Json> = {}
    let matches: Matches | null = null
    let index = 0
    /** The value of the next column, if it was read in parts. */
    let ready: Json | undefined
    const begin = (): void => {
      budget.where = path
      budget.make(ROW_BYTES)
    }
    const prepareNext = function* (): Parts<void> {
      if (matches === null) {
        begin()
        matches =
          selectors.size === 0
            ? []
            : yield* selectors.findParts(page.tree, page.matching, node.element)
      }
      budget.where = columnPaths[index] ?? path
      const parts = readers[index]?.parts?.(page, matches, node)
      if (parts === undefined) return
      budget.work(FIELD_STEPS)
      ready = yield* parts
    }
    const readNext = (): void => {
      if (matches === null) {
        begin()
        matches = selectors.size === 0 ? [] : selectors.find(page.tree, node.element, page.matching)
      }
      if (index >= columns.length) return
      budget.where = columnPaths[index] ?? path
      if (ready === undefined) {
        budget.work(FIELD_STEPS)
        ready = readers[index]?.(page, matches, node) ?? null
      }
      const value = ready
      ready = undefined
      row[columns[index] ?? ''] = value
      trace?.note(index, !hasValue(value) ? 0 : choosing[index] === true ? page.match : ONLY)
      index++
    }
    return {
      row,
      *prepare() {
        // If the budget ends here, the next column has no value.
        if (budget.overrun !== null) return
        try {
          yield* prepareNext()
        } catch (error) {
          budget.settle(error, undefined)
        }
      },
      next() {
        try {
          readNext()
        } catch (error) {
          budget.settle(error, null)
          // The row gets all columns. Those that were not read are empty.
          for (; index < columns.length; index++) {
            row[columns[index] ?? ''] = null
            trace?.note(index, 0)
          }
        }
        return index < columns.length
      },
    }
  }
  return {
    columns,
    isFound,
    isFilled: (row) =>
      telling.length === 0
        ? columns.some((column) => hasValue(row[column]))
        : telling.some((column) => isFound(column, row[column])),
    read(page, node, trace) {
      const reading = readingOf(page, node, trace)
      while (reading.next());
      return reading.row
    },
    *parts(page, node, trace) {
      const reading = readingOf(page, node, trace)
      for (;;) {
        if (page.isInTurns) yield* reading.prepare()
        if (!reading.next()) return reading.row
        yield
      }
    },
    reading: readingOf,
  }
}

/** True if a field has several sources, or its value may be a default. */
function hasChoice(field: Field): boolean {
  return isList(field) || defaultsOf(field).length > 0
}

/** A field with a choice leaves the code of the source that it chose in `page.match`. */
function compileField(field: Field, path: string, compiling: Compiling): ValueReader {
  if (!hasChoice(field) && !isList(field)) return compileOne(field, path, compiling)
  const sources = isList(field) ? field : [field]
  const readers = sources.map((source, index) =>
    compileOne(source, isList(field) ? `${path}.${index}` : path, compiling),
  )
  const withDefaults = sources.map((source) => defaultsOf(source).length > 0)
  /** True if the value is that of this source. Its code is left then. */
  const takes = (page: PageContent, index: number, value: Json): boolean => {
    if (!hasValue(value)) return false
    page.match = sourceCode(index, withDefaults[index] === true && page.isDefault)
    return true
  }
  const readFirst: ValueReader = (page, matches, node) => {
    let value: Json = null
    for (const [index, read] of readers.entries()) {
      value = read(page, matches, node)
      if (takes(page, index, value)) break
    }
    return value
  }
  if (readers.every(({ parts }) => parts === undefined)) return readFirst
  return Object.assign(readFirst, {
    *parts(page: PageContent, matches: Matches, node: RowNode): Parts<Json> {
      let value: Json = null
      for (const [index, read] of readers.entries()) {
        value = yield* readParts(read, page, matches, node)
        if (takes(page, index, value)) break
      }
      return value
    },
  })
}

function compileOne(source: string | FieldSource, path: string, compiling: Compiling): ValueReader {
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
    : [field.const, field.url, field.page, field.carried].every((fact) => fact === undefined)
}
