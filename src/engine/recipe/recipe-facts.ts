import { isList } from '../../kernel/json.ts'
import type { ExportColumnType } from '../../ports/row-work.ts'
import { columnTypes } from './column-types.ts'
import { columnsOf, mediaOf } from './columns.ts'
import type { MediaPath } from './columns.ts'
import type { Fields, FieldSource } from './recipe-input.ts'
import type { Recipe } from './schema.ts'

/** Facts about a recipe that need no compilation. */
export interface RecipeFacts {
  /** The columns of its rows, in order. Empty: they depend on the rows. */
  readonly columns: readonly string[]
  /** Types of these columns, as far as the recipe determines them. */
  readonly types: ReadonlyMap<string, ExportColumnType>
  /** Paths at which its rows have media. */
  readonly media: readonly MediaPath[]
  /** Maximum age of a page that is reused without a new request. 0 requests all pages. */
  readonly maxAgeMs: number
  /** True if the recipe has patterns, for which the pattern engine is loaded. */
  readonly hasPatterns: boolean
  /** True if its scope is a domain, for which the list of public suffixes is loaded. */
  readonly staysInDomain: boolean
}

/** Computes the facts of a recipe. */
export function factsOf(recipe: Recipe): RecipeFacts {
  return {
    columns: columnsOf(recipe),
    types: columnTypes(recipe),
    media: mediaOf(recipe),
    maxAgeMs: maxAgeMs(recipe),
    hasPatterns: hasSource(recipe, hasPattern) || filtersByPattern(recipe),
    staysInDomain: recipe.crawl?.scope === 'domain',
  }
}

/** Maximum age of a page that is reused without a new request. 0 requests all pages. */
export function maxAgeMs({ page }: Recipe): number {
  return (page?.maxAgeSeconds ?? 0) * 1_000
}

/** True if a field names the page on which the link to the row's page was found. */
export function readsFoundOn(recipe: Recipe): boolean {
  return hasSource(recipe, ({ page }) => page === 'foundOn')
}

function hasPattern({ regex, transform = [] }: FieldSource): boolean {
  return (
    regex !== undefined ||
    transform.some(
      (step) => typeof step === 'object' && step.replace !== undefined && 'regex' in step.replace,
    )
  )
}

/** True if a JSONPath may call `match()` or `search()`. */
function filtersByPattern({ extract, follow }: Recipe): boolean {
  return hasCall(extract) || hasCall(follow)
}

/** Reads each text where it is: the JSON of a large recipe would be a megabyte of garbage. */
function hasCall(value: unknown): boolean {
  if (typeof value === 'string') return /(?:match|search)\(/.test(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(hasCall)
}

/** True if a source of a field, at any depth, passes the test. */
function hasSource({ extract, follow = [] }: Recipe, test: (source: FieldSource) => boolean) {
  const groups = [
    ...follow.map((rule) => ('carry' in rule ? rule.carry : undefined)),
    extract === 'auto' ? undefined : extract?.fields,
  ]
  return groups.some(
    (fields) => fields !== undefined && sourcesOf(fields, '').some(([source]) => test(source)),
  )
}

/** The sources of fields that are not plain texts, those of nested fields included, by their paths. */
export function sourcesOf(
  fields: Fields,
  path: string,
): readonly (readonly [source: FieldSource, path: string])[] {
  return Object.entries(fields).flatMap(([name, field]) =>
    (isList(field) ? field : [field]).flatMap((source, index) => {
      if (typeof source === 'string') return []
      const fieldPath = `${path}.${name}${isList(field) ? `.${index}` : ''}`
      const below =
        source.fields === undefined ? [] : sourcesOf(source.fields, `${fieldPath}.fields`)
      return [[source, fieldPath] as const, ...below]
    }),
  )
}
