import type { Issue } from '../../kernel/errors.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { compileFields } from '../extract/field-group.ts'
import { formatPage } from '../extract/format/format-page.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import { sourceCode } from '../extract/source-trace.ts'
import type { SourceTrace } from '../extract/source-trace.ts'
import type { Find } from '../extract/source/refine.ts'
import { WHOLE_PAGE, type FieldGroup, type RowNode } from '../extract/source/reader.ts'
import { checkedJsonPath } from '../extract/value/json-path.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { DetectedRecipe } from './auto-extract.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath, stateItems } from '../recipe/field-schema.ts'
import { asksModel, modelItems } from './compile-model.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { FORMATS } from '../recipe/schema.ts'

/** One of the formats a page can be converted to. */
export type Format = (typeof FORMATS)[number]

/** The compiled `extract` and `formats`. */
export interface Extractor {
  readonly columns: readonly string[]
  /**
   * Returns the rows of a page. Rows in which no selector matched are left out. With `nodes`,
   * which receives each row's node, all rows are returned. `trace` receives their sources.
   */
  read(page: PageContent, nodes?: RowNode[], trace?: SourceTrace): readonly Row[]
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
    const state = stateItems(items)
    if (state !== null) return jsonItemRows(state, fields ?? {}, issues, (page) => page.state)
    return items.startsWith('$')
      ? jsonItemRows(items, fields ?? {}, issues, (page) => page.data)
      : isXPath(items)
        ? xpathItemRows(items, fields ?? {}, issues)
        : itemRows(items, fields ?? {}, issues)
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

function itemRows(items: string, fields: Fields, issues: Issue[]): Extractor {
  const selectors = new SelectorSet()
  const group = compileFields(fields, 'extract.fields', issues, 'element')
  const selector = checkedSelector(items, 'extract.items', issues)
  const index = selector === null ? -1 : selectors.add(selector, true)
  return {
    ...partsOf(group),
    read: (page, nodes, trace) =>
      rowsOf(
        page,
        group,
        (take) =>
          (selectors.find(page.tree, null, page.matching)[index] ?? []).some((element) =>
            take({ element }),
          ),
        nodes,
        trace,
      ),
  }
}

function xpathItemRows(items: string, fields: Fields, issues: Issue[]): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'element')
  const path = checkedXPath(items, 'extract.items', issues)
  return {
    ...partsOf(group),
    read: (page, nodes, trace) =>
      rowsOf(
        page,
        group,
        (take) =>
          path(page, null).some((element) => typeof element !== 'string' && take({ element })),
        nodes,
        trace,
      ),
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
    read(page, nodes, trace) {
      nodes?.push(WHOLE_PAGE)
      if (nodes === undefined) return []
      const row = group.read(page, WHOLE_PAGE, trace)
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

/**
 * Items in JSON: in the document of a JSON page, in the JSON-LD of any other page, or in what
 * scripts left in it.
 */
function jsonItemRows(
  items: string,
  fields: Fields,
  issues: Issue[],
  documentsOf: (page: PageContent) => readonly Json[],
): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'json')
  const query = checkedJsonPath(items, 'extract.items', issues)
  // A filter tests the members of the value it is applied to, so a JSON-LD block that is itself
  // the wanted item would never be tested.
  const isAnywhere = items.startsWith('$..')
  return {
    ...partsOf(group),
    read: (page, nodes, trace) =>
      rowsOf(
        page,
        group,
        (take) =>
          documentsOf(page).some((document) =>
            query(isAnywhere && !page.isData ? [document] : document, page.budget, (item) =>
              take({ element: null, item }),
            ),
          ),
        nodes,
        trace,
      ),
  }
}

function rowsOf(
  page: PageContent,
  group: FieldGroup,
  find: Find<RowNode>,
  nodes?: RowNode[],
  trace?: SourceTrace,
): Row[] {
  const { budget } = page
  const rows: Row[] = []
  const take = (node: RowNode): boolean => {
    const row = group.read(page, node, trace)
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
  budget.attempt(ITEMS, () => find(take), null)
  return rows
}

/** `always`: a page without any match still gives a row. */
function pageRow(group: FieldGroup | null, formats: readonly Format[], always: boolean): Extractor {
  const ownColumns = group === null ? ['url'] : group.columns
  const rowOf = (page: PageContent, trace?: SourceTrace): Record<string, Json> => {
    const row: Record<string, Json> =
      group === null ? { url: page.url } : { ...group.read(page, WHOLE_PAGE, trace) }
    if (group === null) trace?.note(0, ONLY)
    for (const [index, format] of formats.entries()) {
      const value = page.budget.attempt(`formats.${format}`, () => formatPage(page, format), null)
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
    readFailed: rowOf,
    keeps,
    read(page, nodes, trace) {
      const row = rowOf(page, trace)
      nodes?.push(WHOLE_PAGE)
      if (nodes === undefined && !keeps(row)) return []
      trace?.add(page.budget)
      return [row]
    },
  }
}
