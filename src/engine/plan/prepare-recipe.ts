import type { Json } from '../../kernel/json.ts'
import type { Recipe } from '../recipe/schema.ts'
import type { getDomain } from 'tldts-icann'

/** Characters from which a recipe counts as large. */
const LARGE = 4_096

/**
 * Loads the optional dependencies of a recipe: the pattern engine and the list of public suffixes.
 * Await it before `compileRecipe` if patterns must be checked, and always before a plan processes a
 * page. A large recipe also waits for a new turn of the event loop, because checking and compiling
 * the largest recipe takes most of a turn. Never rejects because of the recipe's content.
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
export function domainOf(url: URL): string {
  if (find === null)
    throw new Error('The list of public suffixes is not loaded: await prepareRecipe(recipe) first')
  return find(url.hostname) ?? url.host
}
