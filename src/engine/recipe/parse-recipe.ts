import { safeParse } from 'valibot'
import { badRequest } from '../../kernel/errors.ts'
import type { Issue } from '../../kernel/errors.ts'
import { checkSchema, schemaIssues } from '../../kernel/schema.ts'
import type { Checked } from '../../kernel/schema.ts'
import { MAX_RECIPE_SIZE, measureRecipe } from './measure-recipe.ts'
import type { MeasuredSize } from './measure-recipe.ts'
import { factsOf } from './recipe-facts.ts'
import type { RecipeFacts } from './recipe-facts.ts'
import { recipeSchema } from './schema.ts'
import type { RecipeInput } from './recipe-input.ts'
import type { Recipe } from './schema.ts'

/**
 * Detection on a run's first page adds to the recipe that the caller wrote, so a run's limit is
 * higher.
 */
const MAX_RUN_SIZE = 2 * MAX_RECIPE_SIZE

/**
 * A checked recipe. Functions that take one need not check it again. Only this file makes it.
 *
 * @example
 *   const recipe: ParsedRecipe = parseRecipe({ start: { urls: ['https://example.com/'] } })
 *   recipe.written // the recipe as it was given
 */
export class ParsedRecipe {
  /** The recipe as the caller wrote it. This form is stored and returned. */
  readonly written: RecipeInput
  /** The parsed recipe, with texts trimmed. */
  readonly recipe: Recipe
  #facts: RecipeFacts | null = null
  #size: MeasuredSize | null = null
  /** The limit up to which it was measured. */
  #most = MAX_RECIPE_SIZE
  #text: string | null = null

  private constructor(input: RecipeInput, recipe: Recipe) {
    this.written = input
    this.recipe = recipe
  }

  /** Facts that follow from the recipe, computed once. */
  get facts(): RecipeFacts {
    return (this.#facts ??= factsOf(this.recipe))
  }

  /** Its size. If it exceeds the latest limit, this is the size of the part up to the limit. */
  get size(): MeasuredSize {
    return this.#measured(this.#most)
  }

  /** The JSON text of `written`. Two recipes with the same text have the same plan. */
  get text(): string {
    return (this.#text ??= JSON.stringify(this.written))
  }

  /** Why it is too large to compile, or `null`. */
  tooLarge(most: number): Issue | null {
    return this.#measured(most).tooLarge
  }

  /**
   * The size is measured once. It is measured again only if the recipe exceeds one limit and
   * another limit is asked about.
   */
  #measured(most: number): MeasuredSize {
    const measured = this.#size
    if (
      measured !== null &&
      (this.#most === most || (measured.tooLarge === null && measured.units <= most))
    )
      return measured
    this.#most = most
    return (this.#size = measureRecipe(this.recipe, most))
  }

  /** Checks the shape and the size of a caller's recipe. */
  static check(input: unknown): Checked<ParsedRecipe> {
    const shape = checkSchema(recipeSchema, input)
    if (shape.issues !== null) return shape
    // The schema has just checked this type.
    const parsed = new ParsedRecipe(input as RecipeInput, shape.output)
    const tooLarge = parsed.tooLarge(MAX_RECIPE_SIZE)
    return tooLarge === null ? { output: parsed, issues: null } : { issues: [tooLarge] }
  }

  /** Checks the shape alone. */
  static read(stored: unknown): Checked<ParsedRecipe> {
    const { success, output, issues } = safeParse(recipeSchema, stored)
    return success
      ? { output: new ParsedRecipe(stored as RecipeInput, output), issues: null }
      : { issues: schemaIssues(issues, recipeSchema) }
  }

  /** The same recipe in a private copy, which no other code can change. */
  copy(): ParsedRecipe {
    return this.#as(JSON.parse(this.text), JSON.parse(JSON.stringify(this.recipe)))
  }

  /** The same recipe, parsed again from its text. It is neither checked nor measured again. */
  readAgain(stored: unknown): ParsedRecipe {
    // The text is that of this recipe, so the type holds.
    return this.#as(stored as RecipeInput, this.recipe)
  }

  #as(input: RecipeInput, recipe: Recipe): ParsedRecipe {
    const same = new ParsedRecipe(input, recipe)
    same.#facts = this.#facts
    same.#size = this.#size
    same.#most = this.#most
    same.#text = this.#text
    return same
  }
}

/** Checks the shape and the size of a caller's recipe. */
export function checkRecipe(input: unknown): Checked<ParsedRecipe> {
  return ParsedRecipe.check(input)
}

/**
 * Checks a recipe from elsewhere, such as a file. Services take the result and do not check it
 * again; `written` is the recipe as JSON, in a copy that no later change of the given object
 * reaches. A recipe that was checked before is returned as it is.
 *
 * @example
 *   const written = JSON.parse('{"start":{"urls":["https://example.com/"]}}')
 *   const recipe = parseRecipe(written)
 *   recipe.recipe.start.urls // ['https://example.com/']
 *
 * @throws {PlatformError} `BAD_REQUEST` with an issue for each wrong part, its path relative to
 *   the recipe; also for a recipe that is too large to compile
 */
export function parseRecipe(recipe: unknown): ParsedRecipe {
  return recipe instanceof ParsedRecipe ? recipe : outputOf(ParsedRecipe.check(recipe)).copy()
}

/** Checks a stored recipe, as {@link readRecipe} does. */
export function checkStored(stored: unknown): Checked<ParsedRecipe> {
  return ParsedRecipe.read(stored)
}

/**
 * Reads a stored recipe. It was checked when it was stored, perhaps by a version with fewer checks,
 * and may include what was detected on its run's first page. So its size is measured only where it
 * is compiled.
 *
 * @throws {PlatformError} `BAD_REQUEST` if it is not valid any more
 */
export function readRecipe(stored: unknown): ParsedRecipe {
  return outputOf(checkStored(stored))
}

/**
 * Reads the stored recipe of a run, to compile it. It was accepted before, and may include what was
 * detected on the run's first page.
 *
 * @example
 *   const stored: unknown = JSON.parse('{"start":{"urls":["https://example.com/"]}}')
 *   const plan = compileRecipe(parseRunRecipe(stored))
 *
 * @throws {PlatformError} `BAD_REQUEST` if it is not valid any more, or too large
 */
export function parseRunRecipe(stored: unknown): ParsedRecipe {
  const parsed = readRecipe(stored)
  demandRunSize(parsed)
  return parsed
}

/** Refuses to compile the recipe of a run that is too large, as {@link demandSize} does. */
export function demandRunSize(recipe: ParsedRecipe): void {
  demandSize(recipe, MAX_RUN_SIZE)
}

/**
 * Refuses to compile a recipe that is too large.
 *
 * @throws {PlatformError} `BAD_REQUEST`
 */
export function demandSize(recipe: ParsedRecipe, most = MAX_RECIPE_SIZE): void {
  const tooLarge = recipe.tooLarge(most)
  if (tooLarge !== null) throw badRequest([tooLarge])
}

/** The facts of a stored recipe, or `null` if it is not valid any more. */
export function readFacts(stored: unknown): RecipeFacts | null {
  const read = checkStored(stored)
  return read.issues === null ? read.output.facts : null
}

/**
 * Returns a recipe unchanged. Its type makes the compiler refuse unknown keys and wrong values. A
 * recipe from elsewhere must be checked by {@link parseRecipe}.
 *
 * @example
 *   const books = defineRecipe({
 *     start: { urls: ['https://books.example.com/page/{1..3}'] },
 *     extract: {
 *       items: 'article',
 *       fields: { title: 'h2', price: { css: '.price', as: 'number' } },
 *     },
 *   })
 */
export function defineRecipe(recipe: RecipeInput): RecipeInput {
  return recipe
}

function outputOf<T>(checked: Checked<T>): T {
  if (checked.issues === null) return checked.output
  throw badRequest(checked.issues)
}
