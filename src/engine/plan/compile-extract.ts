import type { Issue } from '../../kernel/errors.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { compileFields } from '../extract/field-group.ts'
import { formatPage } from '../extract/format/format-page.ts'
import type { PageContent } from '../extract/page/page-content.ts'
import { checkedSelector } from '../extract/select/parse-selector.ts'
import { SelectorSet } from '../extract/select/selector-set.ts'
import type { Find } from '../extract/source/refine.ts'
import { WHOLE_PAGE, type FieldGroup, type Place } from '../extract/source/place.ts'
import { checkedJsonPath } from '../extract/value/json-path.ts'
import { hasValue } from '../extract/value/convert.ts'
import type { DetectedRecipe } from './auto-extract.ts'
import { checkedXPath } from '../extract/xpath/checked-xpath.ts'
import { isXPath } from '../recipe/field-schema.ts'
import { asksModel, modelItems } from './compile-model.ts'
import type { Fields } from '../recipe/recipe-input.ts'
import type { FORMATS } from '../recipe/schema.ts'

/** One of the formats a page can be converted to. */
export type Format = (typeof FORMATS)[number]

/** The compiled `extract` and `formats`. */
export interface Extractor {
  readonly columns: readonly string[]
  /**
   * Returns the rows of a page. Rows in which no selector matched are left out. With `places`,
   * which receives each row's place, all rows are returned.
   */
  read(page: PageContent, places?: Place[]): readonly Row[]
  /** True if a row counts: something was found for it. */
  keeps(row: Row): boolean
  /** True for a value that came from the page. */
  isFound(column: string, value: Json | undefined): boolean
  /** The row of a page without content. */
  readFailed(page: PageContent): Row
}

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
    return items.startsWith('$')
      ? jsonItemRows(items, fields ?? {}, issues)
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
  const place = selector === null ? -1 : selectors.add(selector, true)
  return {
    ...partsOf(group),
    read: (page, places) =>
      rowsOf(
        page,
        group,
        (take) =>
          (selectors.find(page.tree, null, page.matching)[place] ?? []).some((element) =>
            take({ element }),
          ),
        places,
      ),
  }
}

function xpathItemRows(items: string, fields: Fields, issues: Issue[]): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'element')
  const path = checkedXPath(items, 'extract.items', issues)
  return {
    ...partsOf(group),
    read: (page, places) =>
      rowsOf(
        page,
        group,
        (take) =>
          path(page, null).some((element) => typeof element !== 'string' && take({ element })),
        places,
      ),
  }
}

/** The parts of an item extractor that depend only on its fields. */
function partsOf(group: FieldGroup): Omit<Extractor, 'read'> {
  return {
    columns: group.columns,
    isFound: group.isFound,
    keeps: group.isFilled,
    readFailed: (page) => group.read(page, WHOLE_PAGE),
  }
}

/** Rows that a model finds. Each also gets the values that its fields find on the page. */
function modelRows(fields: Fields, issues: Issue[]): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'page')
  const asked = Object.entries(fields)
    .filter(([, field]) => asksModel(field))
    .map(([column]) => column)
  return {
    ...partsOf(group),
    // Values that the page gives to every row do not make a row.
    keeps: (row) => asked.some((column) => hasValue(row[column])),
    read(page, places) {
      places?.push(WHOLE_PAGE)
      return places === undefined
        ? []
        : [
            Object.fromEntries(
              Object.entries(group.read(page, WHOLE_PAGE)).map(([column, value]) => [
                column,
                asked.includes(column) ? null : value,
              ]),
            ),
          ]
    },
  }
}

/** Items in the document of a JSON page, or in the JSON-LD of any other page. */
function jsonItemRows(items: string, fields: Fields, issues: Issue[]): Extractor {
  const group = compileFields(fields, 'extract.fields', issues, 'json')
  const query = checkedJsonPath(items, 'extract.items', issues)
  // A filter tests the members of the value it is applied to, so a JSON-LD block that is itself
  // the wanted item would never be tested.
  const isAnywhere = items.startsWith('$..')
  return {
    ...partsOf(group),
    read: (page, places) =>
      rowsOf(
        page,
        group,
        (take) =>
          page.data.some((document) =>
            query(isAnywhere && !page.isData ? [document] : document, page.budget, (item) =>
              take({ element: null, item }),
            ),
          ),
        places,
      ),
  }
}

function rowsOf(page: PageContent, group: FieldGroup, find: Find<Place>, places?: Place[]): Row[] {
  const { budget } = page
  const rows: Row[] = []
  const take = (place: Place): boolean => {
    const row = group.read(page, place)
    budget.where = ITEMS
    if (places !== undefined || group.isFilled(row)) {
      if (rows.length === MAX_ROWS) {
        budget.cut('rows', MAX_ROWS)
        return true
      }
      places?.push(place)
      rows.push(row)
    }
    return budget.overrun !== null
  }
  budget.attempt(ITEMS, () => find(take), null)
  return rows
}

/** `always`: a page without any match still gives a row. */
function pageRow(group: FieldGroup | null, formats: readonly Format[], always: boolean): Extractor {
  const rowOf = (page: PageContent): Record<string, Json> => {
    const row: Record<string, Json> =
      group === null ? { url: page.url } : { ...group.read(page, WHOLE_PAGE) }
    for (const format of formats)
      row[format] = page.budget.attempt(`formats.${format}`, () => formatPage(page, format), null)
    return row
  }
  const keeps = (row: Row): boolean =>
    always ||
    (group !== null && group.isFilled(row)) ||
    formats.some((format) => hasValue(row[format]))
  return {
    columns: [...(group === null ? ['url'] : group.columns), ...formats],
    isFound: (column, value) =>
      group !== null && group.columns.includes(column)
        ? group.isFound(column, value)
        : hasValue(value),
    readFailed: rowOf,
    keeps,
    read(page, places) {
      const row = rowOf(page)
      places?.push(WHOLE_PAGE)
      return places !== undefined || keeps(row) ? [row] : []
    },
  }
}
