import type { Element } from 'domhandler'
import type { Json, Row } from '../../kernel/json.ts'
import type { Issue } from '../../kernel/errors.ts'
import type { Field, Fields, FieldSource } from '../recipe/field-schema.ts'
import type { PageContent } from './page/page-content.ts'
import { checkedSelector } from './select/checked-selector.ts'
import { SelectorSet } from './select/selector-set.ts'
import { convertJson, convertText } from './value/convert.ts'
import { compileJsonPath } from './value/json-path.ts'
import { readElement } from './value/read-element.ts'

type Matches = readonly (readonly Element[])[]
/** A value, a list of values for `many`; `null` or an empty list where there is none. */
type Reader = (page: PageContent, matches: Matches) => Json

/** Compiled fields: one row of values for each place they are read at. */
export interface FieldGroup {
  readonly columns: readonly string[]
  /** The values below `scope`, or of the whole page for `null`. */
  read(page: PageContent, scope: Element | null): Row
  /** True if the page gave one of the values; `const` and `url` are there on any page. */
  isFilled(row: Row): boolean
}

/** Most values that one field takes from one place. */
const MAX_VALUES = 10_000

/** Compiles fields. What is wrong is added to `issues` under `path`; such a field gives `null`. */
export function compileFields(fields: Fields, path: string, issues: Issue[]): FieldGroup {
  const selectors = new SelectorSet()
  const columns = Object.keys(fields)
  const readers = columns.map((column) => compileField(fields[column] ?? '', `${path}.${column}`, selectors, issues))
  const telling = columns.filter((column) => dependsOnContent(fields[column] ?? ''))
  return {
    columns,
    isFilled: (row) => (telling.length === 0 ? columns : telling).some((column) => hasValue(row[column])),
    read(page, scope) {
      const matches = selectors.size === 0 ? [] : selectors.find(page.tree, scope, page.matching)
      const row: Record<string, Json> = {}
      for (let i = 0; i < columns.length; i++) row[columns[i] ?? ''] = readers[i]?.(page, matches) ?? null
      return row
    },
  }
}

function compileField(field: Field, path: string, selectors: SelectorSet, issues: Issue[]): Reader {
  if (typeof field === 'string') return compileSource({ css: field }, path, path, selectors, issues)
  if (!isList(field)) return compileSource(field, path, `${path}.css`, selectors, issues)
  const readers = field.map((source, at) =>
    typeof source === 'string' ? compileSource({ css: source }, `${path}.${at}`, `${path}.${at}`, selectors, issues) : compileSource(source, `${path}.${at}`, `${path}.${at}.css`, selectors, issues),
  )
  return (page, matches) => {
    let value: Json = null
    for (const read of readers) {
      value = read(page, matches)
      if (hasValue(value)) return value
    }
    return value
  }
}

/** True unless there is nothing: `null`, and the empty list of `many`. */
export function hasValue(value: Json | undefined): boolean {
  return value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)
}

function compileSource(source: FieldSource, path: string, cssPath: string, selectors: SelectorSet, issues: Issue[]): Reader {
  if (source.css !== undefined) return compileCss(source, source.css, path, cssPath, selectors, issues)
  if (source.jsonld !== undefined) return compileJsonLd(source, source.jsonld, path, issues)
  const { as, many } = source
  const listed = (value: Json): Json => (many === true ? (value === null ? [] : [value]) : value)
  if (source.meta !== undefined) {
    const name = source.meta
    return (page) => {
      const content = page.meta(name)
      return listed(content === null ? null : convertText(content, as ?? 'text', page))
    }
  }
  if (source.url === true) return (page) => listed(convertText(page.url, as ?? 'text', page))
  const value = source.const ?? null
  return (page) => listed(convertJson(value, as, page))
}

function compileCss(source: FieldSource, css: string, path: string, cssPath: string, selectors: SelectorSet, issues: Issue[]): Reader {
  const { attr, as, many } = source
  const nested = source.fields === undefined ? null : compileFields(source.fields, `${path}.fields`, issues)
  const selector = checkedSelector(css, cssPath, issues)
  if (selector === null) return () => null
  const read = (element: Element, page: PageContent): Json => (nested === null ? readElement(element, attr, as, page) : nested.read(page, element))
  const place = selectors.add(selector, many === true)
  if (many !== true) {
    return (page, matches) => {
      const element = matches[place]?.[0]
      return element === undefined ? null : read(element, page)
    }
  }
  return (page, matches) => {
    const values: Json[] = []
    for (const element of matches[place] ?? []) {
      const value = read(element, page)
      if (value !== null && values.push(value) === MAX_VALUES) break
    }
    return values
  }
}

function compileJsonLd(source: FieldSource, path: string, at: string, issues: Issue[]): Reader {
  const { as, many } = source
  try {
    const query = compileJsonPath(path)
    // A filter judges the members of what it is applied to, so a block that is itself the product would never be
    // asked; as a member of the list of blocks it is.
    const isAnywhere = path.startsWith('$..')
    return (page) => {
      const values: Json[] = []
      for (const document of page.data) {
        for (const found of query(isAnywhere ? [document] : document)) {
          const value = convertJson(found, as, page)
          if (value === null) continue
          if (many !== true) return value
          if (values.push(value) === MAX_VALUES) return values
        }
      }
      return many === true ? values : null
    }
  } catch (error) {
    issues.push({ path: `${at}.jsonld`, message: `${JSON.stringify(path)} is not a JSONPath: ${error instanceof Error ? error.message : 'cannot be read'}` })
    return () => null
  }
}

function dependsOnContent(field: Field): boolean {
  if (typeof field === 'string') return true
  return isList(field) ? field.some(dependsOnContent) : field.const === undefined && field.url === undefined
}

function isList(field: Field): field is readonly (string | FieldSource)[] {
  return Array.isArray(field)
}
