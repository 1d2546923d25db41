import type { Issue } from '../../kernel/errors.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { compileFields } from '../extract/field-group.ts'
import { formatParts } from '../extract/format/format-page.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { sourceCode } from '../extract/source-trace.ts'
import type { SourceTrace } from '../extract/source-trace.ts'
import { WHOLE_PAGE, type FieldGroup, type RowNode } from '../extract/source/reader.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { DetectedRecipe } from './auto-extract.ts'
import { compileItems, type Items } from './compile-items.ts'
import { asksModel, modelItems } from './compile-model.ts'
import { atOnce, type Parts } from '../extract/page/in-turns.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { FORMATS } from '../recipe/schema.ts'

/** One of the formats a page can be converted to. */
export type Format = (typeof FORMATS)[number]

/** The compiled `extract` and `formats`. */
export interface Extractor {
  readonly columns: readonly string[]
  /**
   * Returns the rows of a page. Rows in which no selector matched are left out. With `nodes`, which
   * receives each row's node, all rows are returned. `trace` receives their sources. The parts are
   * rows, and columns of a page's only row.
   */
  read(page: PageContent, nodes?: RowNode[], trace?: SourceTrace): Parts<readonly Row[]>
  /** True if a row counts: something was found for it. */
  keeps(row: Row): boolean
  /** True for a value that came from the page. */
  isFound(column: string, value: Json | undefined): boolean
  /** The row of a page without content. */
  readFailed(page: PageContent, trace: SourceTrace): Row
}

/** The code of a column's only source. */
const ONLY = sourceCode(0)
/** Maximum number of rows from one page. */
const MAX_ROWS = 50_000
const ITEMS = 'extract.items'

/** Compiles what a recipe extracts from a page. */
export function compileExtract(recipe: DetectedRecipe, issues: Issue[]): Extractor {
  const { items, fields, failed = false } = recipe.extract ?? {}
  if (items !== undefined) {
    if (recipe.formats !== undefined)
      issues.push({
        path: 'formats',
        message:
          'cannot be combined with extract.items: a format is of a whole page, an item is a part of one',
      })
    if (fields === undefined)
      issues.push({
        path: 'extract.fields',
        message: 'is missing: extract.items needs fields to take from each item',
      })
    if (modelItems(items) !== null) return modelRows(fields ?? {}, issues)
    return itemRows(items, fields ?? {}, issues)
  }
  const formats: readonly Format[] =
    recipe.formats === undefined
      ? fields === undefined
        ? ['metadata', 'markdown']
        : []
      : [...new Set(recipe.formats)]
  for (const format of formats) {
    if (fields !== undefined && Object.hasOwn(fields, format))
      issues.push({
        path: `extract.fields.${format}`,
        message: `is also the column of the format ${format}; name the field differently`,
      })
  }
  return pageRow(
    fields === undefined ? null : compileFields(fields, 'extract.fields', issues, 'page'),
    formats,
    failed,
  )
}

/** One row for each part of the page that `items` names. */
function itemRows(items: string, fields: Fields, issues: Issue[]): Extractor {
  const parts = compileItems(items, ITEMS, issues)
  const group = compileFields(fields, 'extract.fields', issues, parts.ground)
  return {
    ...partsOf(group),
    *read(page, nodes, trace) {
      const rows = yield* rowsOf(page, group, parts, nodes, trace)
      if (page.budget.overrun !== null || !page.numbers.haveChanged) return rows
      // A later row has shown how the column writes numbers.
      page.budget.forgetNotes()
      if (nodes !== undefined) nodes.length = 0
      trace?.clear()
      return yield* rowsOf(page, group, parts, nodes, trace)
    },
  }
}

/** The parts of an item extractor that depend only on its fields. */
function partsOf(group: FieldGroup): Omit<Extractor, 'read'> {
  return {
    columns: group.columns,
    isFound: group.isFound,
    keeps: group.isFilled,
    readFailed: (page, trace) => group.read(page, WHOLE_PAGE, trace),
  }
}

/** Rows that a model finds. Each also gets the values that its fields find on the page. */
function modelRows(fields: Fields, issues: Issue[]): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'page')
  const modelColumns = Object.entries(fields)
    .filter(([, field]) => asksModel(field))
    .map(([column]) => column)
  return {
    ...partsOf(group),
    // Values that the page gives to every row do not make a row.
    keeps: (row) => modelColumns.some((column) => hasValue(row[column])),
    *read(page, nodes, trace) {
      nodes?.push(WHOLE_PAGE)
      if (nodes === undefined) return []
      const row = yield* rowParts(group, page, WHOLE_PAGE, trace)
      trace?.add(page.budget)
      return [
        Object.fromEntries(
          Object.entries(row).map(([column, value]) => [
            column,
            modelColumns.includes(column) ? null : value,
          ]),
        ),
      ]
    },
  }
}

/** The values of a row. */
function* rowParts(
  group: FieldGroup,
  page: PageContent,
  node: RowNode,
  trace?: SourceTrace,
): Parts<Row> {
  return page.isInTurns ? yield* group.readParts(page, node, trace) : group.read(page, node, trace)
}

/**
 * Items that are found as a list are read one by one, each as a part of the work. Others are read
 * where they are found, as one part, so that the search for later ones leaves them their budget.
 */
function* rowsOf(
  page: PageContent,
  group: FieldGroup,
  { findParts, isListed }: Items,
  nodes?: RowNode[],
  trace?: SourceTrace,
): Parts<Row[]> {
  const { budget } = page
  const rows: Row[] = []
  const keep = (node: RowNode, row: Row): boolean => {
    budget.where = ITEMS
    if (nodes !== undefined || group.isFilled(row)) {
      if (rows.length === MAX_ROWS) {
        budget.cut('rows', MAX_ROWS)
        return true
      }
      trace?.add(budget)
      nodes?.push(node)
      rows.push(row)
    }
    return budget.overrun !== null
  }
  const take = (node: RowNode): boolean => keep(node, group.read(page, node, trace))
  const takeParts = function* (node: RowNode): Parts<boolean> {
    return keep(node, yield* group.readParts(page, node, trace))
  }
  const list: RowNode[] = []
  const add = (node: RowNode): boolean => {
    list.push(node)
    return false
  }
  const takeOne = page.isInTurns ? takeParts : take
  yield* budget.attemptParts(ITEMS, findParts(page, isListed ? add : takeOne), false)
  for (const node of list) {
    yield
    const isEnd = page.isInTurns
      ? yield* budget.attemptParts(ITEMS, takeParts(node), true)
      : budget.attempt(ITEMS, () => take(node), true)
    if (isEnd) break
  }
  return rows
}

/** `always`: a page without any match still gives a row. */
function pageRow(group: FieldGroup | null, formats: readonly Format[], always: boolean): Extractor {
  const ownColumns = group === null ? ['url'] : group.columns
  const rowOf = function* (page: PageContent, trace?: SourceTrace): Parts<Record<string, Json>> {
    const row: Record<string, Json> =
      group === null ? { url: page.url } : { ...(yield* rowParts(group, page, WHOLE_PAGE, trace)) }
    if (group === null) trace?.note(0, ONLY)
    for (const [index, format] of formats.entries()) {
      yield
      const value = yield* page.budget.attemptParts(
        `formats.${format}`,
        formatParts(page, format),
        null,
      )
      row[format] = value
      trace?.note(ownColumns.length + index, hasValue(value) ? ONLY : 0)
    }
    return row
  }
  const keeps = (row: Row): boolean =>
    always ||
    (group !== null && group.isFilled(row)) ||
    formats.some((format) => hasValue(row[format]))
  return {
    columns: [...ownColumns, ...formats],
    isFound: (column, value) =>
      group !== null && group.columns.includes(column)
        ? group.isFound(column, value)
        : hasValue(value),
    readFailed: (page, trace) => atOnce(rowOf(page, trace)),
    keeps,
    *read(page, nodes, trace) {
      const row = yield* rowOf(page, trace)
      nodes?.push(WHOLE_PAGE)
      if (nodes === undefined && !keeps(row)) return []
      trace?.add(page.budget)
      return [row]
    },
  }
}
