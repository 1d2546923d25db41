import { parseRecipe } from 'seine'
import type { Execution } from 'seine/client'
import { compileRecipe } from 'seine/engine'
import type { Workplace } from '../api/workplace.ts'
import { OWNER } from '../data-directory.ts'
import { asPart } from './describe-detection.ts'
import { openScout } from './open-scout.ts'

/** Columns that have a value on every page. */
const EVERY_PAGE = new Set(['title', 'url'])
/** Pages of a run among which one that was fetched is looked for. */
const MOST_PAGES = 20

/**
 * True if no column has a value but those that every page has. `isUnread`: the columns are those of
 * a page on which nothing was found, so that `text` is whatever stands on it, such as a menu.
 */
export function hasLittle({ filled }: Pick<Execution, 'filled'>, isUnread = false): boolean {
  return Object.entries(filled).every(
    ([name, values]) => values === 0 || EVERY_PAGE.has(name) || (isUnread && name === 'text'),
  )
}

/**
 * True if scripts write a page of an execution from which little came. Columns of a recipe or of
 * flags are looked at in no page before the run, so one page is looked at after it.
 */
export async function isWrittenByScripts(
  { client, scouting, allowPrivateNetwork }: Workplace,
  { id, filled }: Pick<Execution, 'id' | 'filled'>,
  recipe: object,
  signal: AbortSignal,
): Promise<boolean> {
  // A server's pages are not asked from this machine: it has another address, and other rights.
  if (scouting.server !== null) return false
  const { start, page, crawl, extract } = asPart(recipe)
  const isOwn = typeof extract === 'object'
  // Whoever names the title alone has it.
  if (isOwn && !Object.values(filled).includes(0) && Object.keys(filled).length > 0) return false
  const settings = asPart(page)
  if (!hasLittle({ filled }) || settings['render'] !== undefined) return false
  const { items } = await client.executions.pages(id, { limit: MOST_PAGES })
  const visited = items.find(({ outcome }) => outcome === 'fetched')
  if (visited === undefined) return false
  const scout = openScout(scouting.visits, allowPrivateNetwork)
  try {
    // The run does the same: a header may be a secret, and a sitemap or a search may lead to another
    // site.
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
    // The run has ended, with what it has: this would only have explained it.
    return false
  } finally {
    await scout.close()
  }
}
