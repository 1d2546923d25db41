import { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import type { RecipeInput } from '../../engine/recipe/recipe-input.ts'
import type { Json, JsonObject, Row } from '../../kernel/json.ts'
import type {
  ConvertedMatch,
  PageDetection,
  PageSample,
  RefusedItems,
} from '../../ports/page-processor.ts'
import type { Outcome, Reason } from '../executions/records.ts'
import { badRequest } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json.ts'

/** One page that a preview visited. Pages are in order of visit. */
export interface PreviewPage {
  readonly url: string
  /** The final URL after redirects, if it differs. */
  readonly finalUrl: string | null
  readonly label: string
  readonly depth: number
  readonly outcome: Outcome
  /** Why the page failed. For a fetched page: why a model could not read it, else `null`. */
  readonly reason: Reason | null
  readonly httpStatus: number | null
  readonly durationMs: number
  readonly bytes: number
  readonly rows: number
  /** Id of the kept page. Absent: it was not kept. */
  readonly snapshot?: string
}

/** How often one source of a field matched on one page. */
export interface SourceOnPage {
  readonly url: string
  /** Number of matches of the source, such as elements of a selector. */
  readonly matches: number
  /** Number of rows in which it gives a value. */
  readonly values: number
}

/** One source of a field's value: the only one, or one in a list of fallbacks. */
export interface SourceReport extends Omit<SourceOnPage, 'url'> {
  /** Path in the recipe, such as `extract.fields.price.0`. */
  readonly path: string
  /** Short description: `css .price`. */
  readonly source: string
  /** Number of rows that take their value from it, because no source before it gave one. */
  readonly used: number
  /** The first value that it gave. `null`: none. */
  readonly sample: Json
  /** The first match that could not be converted to the wanted type. `null`: none. */
  readonly failed: { readonly url: string; readonly text: string; readonly as: string } | null
  /** The first match that can be read as two numbers or dates. `null`: none. */
  readonly unclear: { readonly url: string; readonly text: string; readonly as: string } | null
  /** The first matches, at most 3, shortened, before and after conversion. */
  readonly examples: readonly ConvertedOnPage[]
  /** Why it found no value on any page. `null`: it found one. */
  readonly reason: string | null
  readonly pages: readonly SourceOnPage[]
}

/** A match of a source on one page. */
export interface ConvertedOnPage extends ConvertedMatch {
  readonly url: string
}

/** How well one column is filled, and by which sources. */
export interface FieldReport {
  readonly field: string
  /** Rows with a value. */
  readonly filled: number
  /** Share of rows with a value, 0–1. 0 without rows. */
  readonly rate: number
  readonly sources: readonly SourceReport[]
}

/** The links that one rule of `follow` found on the visited pages. */
export interface RuleReport {
  /** Path in the recipe, such as `follow.0.links`. */
  readonly path: string
  readonly selector: string
  /** Label of the pages it links to. */
  readonly label: string
  readonly found: number
  /** The first few links. */
  readonly samples: readonly string[]
}

/** A warning for the author of the recipe. */
export interface PreviewWarning {
  readonly code: string
  /** The path in the recipe, if there is one. */
  readonly path: string | null
  readonly message: string
}

/** The result of `extract: "auto"` on the first page. */
export interface Proposal extends Pick<PageDetection, 'kind' | 'confidence' | 'reason'> {
  /** The complete recipe including the proposed parts, ready to be saved as a task. */
  readonly recipe: RecipeInput
}

/** One of the ways to read a page, with its result there. */
export interface ProposalSample extends Proposal, Pick<PageSample, 'columns' | 'rows' | 'count'> {}

/** The result of a short run of a recipe. */
export interface Preview {
  readonly columns: readonly string[]
  /** The first rows found, 100 at most. */
  readonly rows: readonly Row[]
  /** `rows`: number of all rows of the visited pages. `credits`: a preview is free. */
  readonly totals: {
    readonly pages: number
    readonly rows: number
    readonly durationMs: number
    readonly credits: 0
  }
  readonly fields: readonly FieldReport[]
  readonly pages: readonly PreviewPage[]
  readonly links: readonly RuleReport[]
  readonly warnings: readonly PreviewWarning[]
  /** `null` if the recipe did not ask for it, or if the first page could not be read. */
  readonly proposal: Proposal | null
  /**
   * All ways to read the first page that detection found, best first; the first one is `proposal`.
   * Empty if the recipe did not leave `extract` to it. A costly page has fewer.
   */
  readonly proposals: readonly ProposalSample[]
  /**
   * Groups that repeat on the first page and were not taken for a list, with the reasons. Empty if
   * the recipe left nothing to detection.
   */
  readonly refused: readonly RefusedItems[]
}

/**
 * The recipe as it was written.
 *
 * @throws {PlatformError} 400 if it is not an object
 */
export function writtenOf(recipe: Json | ParsedRecipe): JsonObject {
  if (recipe instanceof ParsedRecipe) return recipe.written
  if (isObject(recipe)) return recipe
  throw badRequest([{ path: 'recipe', message: 'must be an object' }])
}

/** Options of a detection. */
export interface DetectOptions {
  readonly signal?: AbortSignal | undefined
  /** `false` ignores robots.txt, as `crawl.robots` of a recipe does. Default `true`. */
  readonly robots?: boolean
  /**
   * The settings for requesting the page, in the form of `page` of a recipe: headers, cookies, a
   * browser.
   */
  readonly page?: RecipeInput['page']
}
