import type { Json } from '../../kernel/json.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { readRecipe } from '../recipe/parse-recipe.ts'
import type { ParsedRecipe } from '../recipe/parse-recipe.ts'
import type { ContentPlan } from './auto-extract.ts'
import { compileContent } from './compile.ts'
import { bytesOfGlobs } from './compile-scope.ts'

/** The most that the kept recipes weigh together, as a recipe of the largest size does: some 6 MB. */
const MOST_KEPT = 50_000
/** Characters of text that weigh as much as one unit of size, of which a process keeps some too. */
const UNIT_CHARACTERS = 20
/** Bytes that weigh as much as one unit of size. */
const UNIT_BYTES = 120
/** The weight of any recipe, besides its size and its text. */
const LEAST_WEIGHT = 40

interface Compiled {
  /** A copy of its own, which nobody outside can change. */
  readonly recipe: ParsedRecipe
  readonly plan: ContentPlan
  readonly weight: number
}

/**
 * The recipes that this process compiled lately, by their text. A task, its runs and their pages
 * have the same text, so a recipe is checked and compiled once for all of them. A plan follows from
 * its text alone, also what its first run adds to it, so accounts and platforms can share one.
 */
const byText = new Map<string, Compiled>()
let weighs = 0

/**
 * Reads a stored recipe as {@link readRecipe} does. One that this process has compiled lately is not
 * checked again.
 *
 * @throws {PlatformError} `BAD_REQUEST` if it is not valid any more
 */
export function readStored(stored: Json): ParsedRecipe {
  return lately(JSON.stringify(stored))?.recipe.readAgain(stored) ?? readRecipe(stored)
}

/**
 * Compiles a recipe, unless this process has done so lately. Await `prepare` before. `foundStarts`:
 * results of its search, with which a plan is made for this caller alone.
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

/** The recipe with this text, which then is the last to be forgotten. */
function lately(text: string): Compiled | undefined {
  const compiled = byText.get(text)
  if (compiled === undefined) return undefined
  byText.delete(text)
  byText.set(text, compiled)
  return compiled
}
