import type { Json } from '../../kernel/json.ts'
import type { Recipe } from '../recipe/schema.ts'
import type { getDomain } from 'tldts-icann'

/** Characters from which a recipe counts as large. */
const LARGE = 4_096

/**
 * Loads what a recipe needs and most do not: the engine of its patterns, the list of public
 * suffixes. Await it before `compileRecipe` where patterns are to be checked, and before a plan
 * processes a page in any case. A large recipe also waits for a turn of the event loop of its own:
 * to check and compile the largest takes most of what a turn may. Never rejects for the recipe's
 * content.
 */
export async function prepareRecipe(recipe: Recipe | Json): Promise<void> {
  const text = JSON.stringify(recipe) ?? ''
  if (text.length >= LARGE) await (await import('../../kernel/pace.ts')).nextTurn()
  await Promise.all([
    text.includes('"regex"') && loadPatterns(),
    text.includes('"scope":"domain"') && loadPublicSuffixes(),
  ])
}

async function loadPatterns(): Promise<void> {
  await (await import('../extract/value/linear-regex.ts')).loadRegexEngine()
}

let find: typeof getDomain | null = null

/** Loads the list of public suffixes, which is too large for those whose crawls stay on a host. */
async function loadPublicSuffixes(): Promise<void> {
  find ??= (await import('tldts-icann')).getDomain
}

/**
 * The registrable domain by the public suffix list; an address or a name without one stands for
 * itself.
 *
 * @throws {Error} where the list is not loaded
 */
export function domainOf(url: URL): string {
  if (find === null)
    throw new Error('The list of public suffixes is not loaded: await prepareRecipe(recipe) first')
  return find(url.hostname) ?? url.host
}
