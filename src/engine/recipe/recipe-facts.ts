import { isList } from '../../kernel/json.ts'
import type { ColumnType } from '../../ports/row-work.ts'
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
  readonly types: ReadonlyMap<string, ColumnType>
  /** Paths at which its rows have media. */
  readonly media: readonly MediaPath[]
  /** Maximum age of a page that is reused without a new request. 0 requests all pages. */
  readonly maxAgeMs: number
  /** True if it has patterns, for which the pattern engine is loaded. */
  readonly hasPatterns: boolean
  /** True if its scope is a domain, for which the list of public suffixes is loaded. */
  readonly staysInDomain: boolean
}

/** Works out the facts of a recipe. */
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
  return /(?:match|search)\(/.test(JSON.stringify([extract, follow]))
}

/** True if a source of a field, at any depth, passes the test. */
function hasSource({ extract }: Recipe, test: (source: FieldSource) => boolean): boolean {
  const among = (fields: Fields): boolean =>
    Object.values(fields).some((field) =>
      (isList(field) ? field : [field]).some(
        (source) =>
          typeof source !== 'string' &&
          (test(source) || (source.fields !== undefined && among(source.fields))),
      ),
    )
  return extract !== 'auto' && extract?.fields !== undefined && among(extract.fields)
}
