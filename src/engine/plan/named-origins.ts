import { expandUrls } from '../recipe/expand-urls.ts'
import { parseStoredRecipe } from '../recipe/parse-recipe.ts'

/** The origins of URLs, each once. */
export function originsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

/**
 * The origins that a recipe names itself: of its start URLs, its sitemap and its feed. To find them
 * out, nothing of it is compiled.
 */
export function namedOrigins(recipe: unknown): readonly string[] {
  const { urls = [], sitemap, feed } = parseStoredRecipe(recipe).start
  return originsOf([
    ...expandUrls(urls, 'start.urls', []),
    ...[sitemap, feed].filter((list) => list !== undefined),
  ])
}
