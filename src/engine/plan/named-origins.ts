import { expandUrls } from '../recipe/expand-urls.ts'
import type { Recipe } from '../recipe/schema.ts'

/** Returns the distinct origins of URLs. */
export function originsOf(urls: readonly string[]): readonly string[] {
  return [...new Set(urls.map((url) => new URL(url).origin))]
}

/** Returns the origins that a recipe names itself: those of its start URLs, sitemap and feed. */
export function namedOrigins({ urls = [], sitemap, feed }: Recipe['start']): readonly string[] {
  return originsOf([
    ...expandUrls(urls, 'start.urls', []),
    ...[sitemap, feed].filter((list) => list !== undefined),
  ])
}
