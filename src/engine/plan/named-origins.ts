import { expandUrls } from '../recipe/expand-urls.ts'
import { parseStoredRecipe } from '../recipe/parse-recipe.ts'

/** Returns the distinct origins of URLs. */
export function originsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

/**
 * Returns the origins that a recipe names itself: those of its start URLs, its sitemap and its
 * feed. The recipe is not compiled.
 */
export function namedOrigins(recipe: unknown): readonly string[] {
  const { urls = [], sitemap, feed } = parseStoredRecipe(recipe).start
  return originsOf([
    ...expandUrls(urls, 'start.urls', []),
    ...[sitemap, feed].filter((list) => list !== undefined),
  ])
}
