import { originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { expandUrls, readUrl } from '../recipe/expand-urls.ts'
import type { Recipe } from '../recipe/schema.ts'

/** Returns the distinct origins of URLs. */
export function originsOf(urls: readonly NormalUrl[]): readonly string[] {
  return [...new Set(urls.map(originOf))]
}

/** Returns the origins that a recipe names itself: those of its start URLs, sitemap and feed. */
export function namedOrigins({ urls = [], sitemap, feed }: Recipe['start']): readonly string[] {
  const lists = [sitemap, feed].flatMap((list) =>
    list === undefined ? [] : (readUrl(list).url ?? []),
  )
  return originsOf([...expandUrls(urls, 'start.urls', []), ...lists])
}
