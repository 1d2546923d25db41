import { parseRecipe } from 'seine'
import type { Execution } from 'seine/client'
import { compileRecipe } from 'seine/engine'
import type { Workplace } from '../api/workplace.ts'
import { OWNER } from '../data-directory.ts'
import { asPart } from './describe-detection.ts'
import { openScout } from './open-scout.ts'

/** Columns that have a value on every page. */
const EVERY_PAGE = new Set(['title', 'url'])
/** Number of pages of a run among which a fetched one is looked for. */
const MOST_PAGES = 20

/**
 * True if only columns that every page has have values. `isUnread`: nothing was detected on the
 * page, so `text` may be any text on it, such as a menu.
 */
export function hasLittle({ filled }: Pick<Execution, 'filled'>, isUnread = false): boolean {
  return Object.entries(filled).every(
    ([name, values]) => values === 0 || EVERY_PAGE.has(name) || (isUnread && name === 'text'),
  )
}

/**
 * True if an execution gave few values, and scripts write one of its pages. If the columns come
 * from a recipe or flags, no page is read before the run, so one page is read after it.
 */
export async function isWrittenByScripts(
  { client, scouting, allowPrivateNetwork }: Workplace,
  { id, filled }: Pick<Execution, 'id' | 'filled'>,
  recipe: object,
  signal: AbortSignal,
): Promise<boolean> {
  // Pages of a server's run are not requested from this machine, because it has another address and
  // other rights.
  if (scouting.server !== null) return false
  const { start, page, crawl, extract } = asPart(recipe)
  const isOwn = typeof extract === 'object'
  // If only the title was requested, it is there.
  if (isOwn && !Object.values(filled).includes(0) && Object.keys(filled).length > 0) return false
  const settings = asPart(page)
  if (!hasLittle({ filled }) || settings['render'] !== undefined) return false
  const { items } = await client.executions.pages(id, { limit: MOST_PAGES })
  const visited = items.find(({ outcome }) => outcome === 'fetched')
  if (visited === undefined) return false
  const scout = openScout(scouting.visits, allowPrivateNetwork)
  try {
    // As in the run, because a header may be a secret, and a sitemap or a search may lead to
    // another site.
    const { headersTo } = compileRecipe(parseRecipe({ start, page: settings })).request
    const { origin } = new URL(visited.url)
    const limited = { ...settings, headersTo: headersTo.filter((named) => named === origin) }
    const { needsScripts } = await scout.api.previews.detect(OWNER, visited.url, {
      robots: asPart(crawl)['robots'] !== false,
      page: JSON.parse(JSON.stringify(limited)),
      signal,
    })
    return needsScripts === true
  } catch {
    // Errors are ignored: the run has ended with its results, and this check would only explain
    // them.
    return false
  } finally {
    await scout.close()
  }
}
