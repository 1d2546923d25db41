import type { Element } from 'domhandler'
import type { Issue } from '../../../kernel/errors.ts'
import type { Json, Row } from '../../../kernel/json.ts'
import type { Fields } from '../../recipe/field-schema.ts'
import type { PageContent } from '../page/page-content.ts'
import type { SelectorSet } from '../select/selector-set.ts'

/** Where the values of a row are read. */
export interface Place {
  /** Below this element; `null`: on the whole page. */
  readonly element: Element | null
  /** In this JSON value; absent: the row's item is none. */
  readonly item?: Json
}

/** The whole page. */
export const WHOLE_PAGE: Place = { element: null }

/** What the selectors of a group of fields found, by the place of each in its set. */
export type Matches = readonly (readonly Element[])[]

/** Reads a value, or a list of values for `many`; `null` or an empty list where there is none. */
export type Reader = (page: PageContent, matches: Matches, place: Place) => Json

/** What fields are read from: a whole page, elements of it, or values of a JSON document. */
export type Ground = 'page' | 'element' | 'json'

/** Compiled fields: one row of values for each place they are read at. */
export interface FieldGroup {
  readonly columns: readonly string[]
  /** The values at a place: those that were read, where the page's budget ends before all are. */
  read(page: PageContent, place: Place): Row
  /** True for a value that the page gave: not for that of a `default`. */
  isFound(column: string, value: Json | undefined): boolean
  /** True if the page gave one of the values; `const`, `url` and `page` are there on any page. */
  isFilled(row: Row): boolean
}

/** What compiling a source needs besides the source. */
export interface Compiling {
  readonly selectors: SelectorSet
  readonly issues: Issue[]
  readonly ground: Ground
  /** Compiles the fields of what a source finds. */
  readonly group: (fields: Fields, path: string, ground: Ground) => FieldGroup
}
