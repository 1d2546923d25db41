import type { Json, Row } from '../../kernel/json.ts'
import type { PageDetection } from '../../ports/page-processor.ts'
import type { Outcome, Reason } from '../executions/records.ts'
import { badRequest } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'
import type { JsonObject } from '../tasks/schema.ts'

/** One page that a preview visited, in the order of the visits. */
export interface PreviewPage {
  readonly url: string
  /** Where redirects led, if elsewhere. */
  readonly finalUrl: string | null
  readonly label: string
  readonly depth: number
  readonly outcome: Outcome
  /** Why nothing came of it; of a fetched page, what a model could not do for it, else `null`. */
  readonly reason: Reason | null
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly bytes: number
  readonly rows: number
}

/** How often one source of a field matched on one page. */
export interface SourceOnPage {
  readonly url: string
  /** Places that the source found, such as elements of a selector. */
  readonly matches: number
  /** Rows in which it gives a value. */
  readonly values: number
}

/** One way to find a field's value, of a list of fallbacks or alone. */
export interface SourceReport extends Omit<SourceOnPage, 'url'> {
  /** Where it is written, such as `extract.fields.price.0`. */
  readonly path: string
  /** What it is, in short: `css .price`. */
  readonly source: string
  /** Rows that have their value from it, as no source before it gave one. */
  readonly used: number
  /** The first value it gave; `null` where it gave none. */
  readonly sample: Json
  /** The first match that is no value of the wanted type; `null` where all are. */
  readonly failed: { readonly url: string; readonly text: string; readonly as: string } | null
  readonly pages: readonly SourceOnPage[]
}

/** How well one column is filled, and by what. */
export interface FieldReport {
  readonly field: string
  /** Rows with a value. */
  readonly filled: number
  /** The same as a share of all rows, 0–1; 0 without rows. */
  readonly rate: number
  readonly sources: readonly SourceReport[]
}

/** What one rule of `follow` found on the visited pages. */
export interface RuleReport {
  /** Where it is written, such as `follow.0.links`. */
  readonly path: string
  readonly selector: string
  /** Label of the pages that it leads to. */
  readonly label: string
  readonly found: number
  /** The first few. */
  readonly samples: readonly string[]
}

/** Something that whoever wrote the recipe should know. */
export interface PreviewWarning {
  readonly code: string
  /** The place in the recipe, where there is one. */
  readonly path: string | null
  readonly message: string
}

/** What `extract: "auto"` found out about the first page. */
export interface Proposal extends Pick<PageDetection, 'kind' | 'confidence'> {
  /** The whole recipe with what was proposed in it, ready to be saved as a task. */
  readonly recipe: Json
}

/** What a short run of a recipe showed. */
export interface Preview {
  readonly columns: readonly string[]
  /** The first rows found, 100 at most. */
  readonly rows: readonly Row[]
  /** `rows`: all that the visited pages gave. */
  readonly totals: { readonly pages: number; readonly rows: number; readonly durationMs: number }
  readonly fields: readonly FieldReport[]
  readonly pages: readonly PreviewPage[]
  readonly links: readonly RuleReport[]
  readonly warnings: readonly PreviewWarning[]
  /** `null` unless the recipe asked for it, and where the first page could not be read. */
  readonly proposal: Proposal | null
}

/**
 * A recipe that is to be taken apart.
 *
 * @throws {PlatformError} 400
 */
export function objectOf(recipe: Json): JsonObject {
  if (isObject(recipe)) return recipe
  throw badRequest([{ path: 'recipe', message: 'must be an object' }])
}
