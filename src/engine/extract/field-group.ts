import type { Issue } from '../../kernel/errors.ts'
import { isList } from '../../kernel/json.ts'
import type { Json } from '../../kernel/json.ts'
import type { Field, Fields, FieldSource } from '../recipe/recipe-input.ts'
import { defaultOf } from './source/transform.ts'
import { hasValue } from './value/convert.ts'
import { SelectorSet } from './select/selector-set.ts'
import { sourceCode, type SourceTrace } from './source-trace.ts'
import { compileShort, compileSource } from './source/compile-source.ts'
import type { Parts } from './page/in-turns.ts'
import type { PageContent } from './page/page-content.ts'
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
/** Steps that a turn counts for a column that is read in parts, which takes longer. */
const PARTS_STEPS = 150
/** The same for a row. */
const ROW_PARTS_STEPS = 200
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
  /** Reads a row, one column after the other. */
  const readingOf = (page: PageContent, node: RowNode, trace?: SourceTrace) => {
    const { budget } = page
    const row: Record<string, Json> = {}
    let matches: Matches | null = null
    let index = 0
    const begin = (): void => {
      budget.where = path
      budget.make(ROW_BYTES)
    }
    const beginColumn = (): void => {
      budget.where = columnPaths[index] ?? path
      budget.work(FIELD_STEPS)
    }
    const endColumn = (value: Json): void => {
      row[columns[index] ?? ''] = value
      trace?.note(index, !hasValue(value) ? 0 : choosing[index] === true ? page.match : ONLY)
      index++
    }
    /** After the budget ended, the row gets all columns. Those that were not read are empty. */
    const endRow = (error: unknown): void => {
      budget.settle(error, null)
      for (; index < columns.length; index++) {
        row[columns[index] ?? ''] = null
        trace?.note(index, 0)
      }
    }
    const readNext = (): void => {
      if (matches === null) {
        begin()
        matches = selectors.size === 0 ? [] : selectors.find(page.tree, node.element, page.matching)
      }
      if (index >= columns.length) return
      beginColumn()
      endColumn(readers[index]?.(page, matches, node) ?? null)
    }
    const readNextParts = function* (): Parts<void> {
      if (matches === null) {
        begin()
        budget.unpaid(ROW_PARTS_STEPS)
        matches =
          selectors.size === 0
            ? []
            : yield* selectors.findParts(page.tree, page.matching, node.element)
      }
      const reader = readers[index]
      if (reader === undefined) return
      beginColumn()
      budget.unpaid(PARTS_STEPS)
      endColumn(
        reader.parts === undefined
          ? reader(page, matches, node)
          : yield* reader.parts(page, matches, node),
      )
    }
    return {
      row,
      /** Reads the next column. False: there is none. */
      next(): boolean {
        try {
          readNext()
        } catch (error) {
          endRow(error)
        }
        return index < columns.length
      },
      /** The same in parts. */
      *nextParts(): Parts<boolean> {
        try {
          yield* readNextParts()
        } catch (error) {
          endRow(error)
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
    *readParts(page, node, trace) {
      const reading = readingOf(page, node, trace)
      while (yield* reading.nextParts()) yield
      return reading.row
    },
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
    *parts(...of: Parameters<ValueReader>): Parts<Json> {
      let value: Json = null
      for (const [index, read] of readers.entries()) {
        value = read.parts === undefined ? read(...of) : yield* read.parts(...of)
        if (takes(of[0], index, value)) break
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
