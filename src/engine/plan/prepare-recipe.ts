import type { Json } from '../../kernel/json.ts'
import { checkStored, ParsedRecipe } from '../recipe/parse-recipe.ts'
import type { RecipeFacts } from '../recipe/recipe-facts.ts'
import type { Recipe } from '../recipe/schema.ts'
import type { getDomain } from 'tldts-icann'

/**
 * Loads the optional dependencies of a recipe: the pattern engine and the list of public suffixes.
 * Await it before `compileRecipe` if patterns must be checked, and always before a plan processes a
 * page. Never rejects because of the recipe's content: for an invalid recipe nothing is loaded.
 *
 * @example
 *   const recipe = parseRecipe({
 *     start: { urls: ['https://example.com/'] },
 *     extract: { fields: { price: { css: '.price', regex: '[0-9]+' } } },
 *   })
 *   await prepareRecipe(recipe)
 */
export async function prepareRecipe(recipe: ParsedRecipe | Recipe | Json): Promise<void> {
  if (recipe instanceof ParsedRecipe) return prepare(recipe)
  const read = checkStored(recipe)
  if (read.issues === null) await prepare(read.output)
}

/**
 * Loads the optional dependencies of a recipe. A large recipe also waits for a turn of the event
 * loop of its own, because compiling the largest one takes most of a turn.
 */
export async function prepare({ facts, size }: ParsedRecipe): Promise<void> {
  if (size.isLarge) await (await import('../../kernel/pace.ts')).ownTurn()
  await loadFor(facts)
}

async function loadFor({ hasPatterns, staysInDomain }: RecipeFacts): Promise<void> {
  await Promise.all([hasPatterns && loadPatterns(), staysInDomain && loadPublicSuffixes()])
}

async function loadPatterns(): Promise<void> {
  await (await import('../extract/value/linear-regex.ts')).loadRegexEngine()
}

let find: typeof getDomain | null = null

/** Loads the list of public suffixes. It is too large to load for crawls that stay on a host. */
async function loadPublicSuffixes(): Promise<void> {
  find ??= (await import('tldts-icann')).getDomain
}

/**
 * Returns the registrable domain by the public suffix list. An address, or a name without one, is
 * returned unchanged.
 *
 * @throws {Error} if the list is not loaded
 */
export function domainOf({ hostname, host }: Pick<URL, 'hostname' | 'host'>): string {
  if (find === null)
    throw new Error('The list of public suffixes is not loaded: await prepareRecipe(recipe) first')
  return find(hostname) ?? host
}
