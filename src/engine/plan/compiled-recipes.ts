import type { Json } from '../../kernel/json.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { readRecipe } from '../recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../recipe/parse-recipe.ts'
import type { ContentPlan } from './auto-extract.ts'
import { compileContent } from './compile.ts'
import { bytesOfGlobs } from './compile-scope.ts'

/**
 * Maximum weight of all stored recipes together. It equals the weight of one recipe of maximum
 * size, some 6 MB.
 */
const MOST_KEPT = 50_000
/**
 * Number of characters of text that weigh as much as one unit of size, because the text is kept
 * too.
 */
const UNIT_CHARACTERS = 20
/** Number of bytes that weigh as much as one unit of size. */
const UNIT_BYTES = 120
/** The weight of any recipe, besides its size and its text. */
const LEAST_WEIGHT = 40

interface Compiled {
  /** A private copy, which no other code can change. */
  readonly recipe: ParsedRecipe
  readonly plan: ContentPlan
  readonly weight: number
}

/**
 * The recipes that this process has compiled recently, by their text. A task, its runs and their
 * pages have the same text, so a recipe is checked and compiled once for all of them. A plan
 * depends only on this text, even the parts that its first use adds, so accounts and platforms can
 * share one.
 */
const byText = new Map<string, Compiled>()
let weighs = 0

/**
 * Reads a stored recipe as {@link readRecipe} does. A recipe that this process has compiled
 * recently is not checked again.
 *
 * @throws {PlatformError} `BAD_REQUEST` if it is not valid any more
 */
export function readStored(stored: Json): ParsedRecipe {
  return lately(JSON.stringify(stored))?.recipe.readAgain(stored) ?? readRecipe(stored)
}

/**
 * Compiles a recipe, unless this process has done so recently. Await `prepare` before.
 * `foundStarts`: results of its search; with these the plan is made only for this caller.
 *
 * @throws {PlatformError} `BAD_REQUEST` as `compileRecipe` does
 */
export function compileOnce(
  recipe: ParsedRecipe,
  foundStarts: readonly NormalUrl[] = [],
): ContentPlan {
  if (foundStarts.length > 0) return compileContent(recipe.recipe, foundStarts)
  const earlier = lately(recipe.text)
  if (earlier !== undefined) return earlier.plan
  const weight =
    LEAST_WEIGHT +
    recipe.size.units +
    recipe.text.length / UNIT_CHARACTERS +
    bytesOfGlobs(recipe.recipe.crawl) / UNIT_BYTES
  if (weight > MOST_KEPT) return compileContent(recipe.recipe)
  const copy = recipe.copy()
  const plan = compileContent(copy.recipe)
  byText.set(recipe.text, { recipe: copy, plan, weight })
  weighs += weight
  for (const [text, oldest] of byText) {
    if (weighs <= MOST_KEPT) break
    byText.delete(text)
    weighs -= oldest.weight
  }
  return plan
}

/** Returns the recipe with this text, and moves it to the end, so that it is forgotten last. */
function lately(text: string): Compiled | undefined {
  const compiled = byText.get(text)
  if (compiled === undefined) return undefined
  byText.delete(text)
  byText.set(text, compiled)
  return compiled
}
