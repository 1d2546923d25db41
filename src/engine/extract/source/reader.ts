import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import type { Json, Row } from '../../../kernel/json.ts'
import type { Fields } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import type { SelectorSet } from '../select/selector-set.ts'
import type { SourceTrace } from '../source-trace.ts'

/** The node of a page that a row is read from. */
export interface RowNode {
  /** Values are read below this element, or on the whole page for `null`. */
  readonly element: Element | null
  /** Values are read in this JSON value. Absent if the row's item is not JSON. */
  readonly item?: Json
}

/** The whole page. */
export const WHOLE_PAGE: RowNode = { element: null }

/** The matches of a field group's selectors, by each selector's index in its set. */
export type Matches = readonly (readonly Element[])[]

/** Reads a value, or a list of values for `many`. Without a match, `null` or an empty list. */
export interface ValueReader {
  (page: PageContent, matches: Matches, node: RowNode): Json
  /** Reads the same in parts. Absent if no value takes long. */
  parts?(page: PageContent, matches: Matches, node: RowNode): Parts<Json>
}

/** The kind of source data: a whole page, its elements, or values of a JSON document. */
export type Ground = 'page' | 'element' | 'json'

/** Compiled fields: they give one row of values per node. */
export interface FieldGroup {
  readonly columns: readonly string[]
  /**
   * Returns the values at a node. If the page's budget ends first, only those read so far. `trace`
   * gets the source of each.
   */
  read(page: PageContent, node: RowNode, trace?: SourceTrace): Row
  /** Like {@link read} in parts. */
  readParts(page: PageContent, node: RowNode, trace?: SourceTrace): Parts<Row>
  /** True for a value from the page, false for a `default`. */
  isFound(column: string, value: Json | undefined): boolean
  /**
   * True if one of the values came from the page. `const`, `url` and `page` exist on any page and
   * do not count.
   */
  isFilled(row: Row): boolean
}

/** Context for compiling a source. */
export interface Compiling {
  readonly selectors: SelectorSet
  readonly issues: Issue[]
  readonly ground: Ground
  /** Compiles the nested fields of a source's matches. */
  readonly group: (fields: Fields, path: string, ground: Ground) => FieldGroup
}
