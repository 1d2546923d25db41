import type { PageReceipt, RecipeInput } from '../../../client.ts'

/** Failed pages that are started again at once. So many addresses of any length fit into a body. */
export const MOST_FAILED = 500

/** What a receipt says of how a page was found. */
type Found = Pick<PageReceipt, 'url' | 'depth' | 'listedBy'>

/**
 * The first addresses of pages that failed, to be started again. `null`: one of them may have been
 * found by a link. It would begin anew as a start page, and the crawl would go further than its
 * run.
 */
export async function startsAmong(
  pages: AsyncIterable<Found>,
  recipe: Pick<RecipeInput, 'start' | 'follow'>,
): Promise<string[] | null> {
  const hasNext = recipe.follow?.some(({ next }) => next !== undefined) === true
  const named = new Set((recipe.start.urls ?? []).map(normal))
  const urls: string[] = []
  for await (const { url, depth, listedBy } of pages) {
    if (depth > 0) return null
    // A next page has the depth and the label of the page before it.
    if (hasNext && listedBy === null && !named.has(normal(url))) return null
    urls.push(url)
    if (urls.length === MOST_FAILED) break
  }
  return urls
}

function normal(url: string): string {
  return URL.canParse(url) ? new URL(url).href : url
}
