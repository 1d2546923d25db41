import { CRAWL_PAGES } from '../features/agentic/tool-schema.ts'
import { isObject } from '../kernel/json.ts'

/**
 * What a call may fetch, at once or by the schedule that it makes. Only a template knows its own
 * maximum.
 */
export function spendingOf(
  tool: string,
  args: { readonly [name: string]: unknown } = {},
): { readonly pages: number; readonly often: string } {
  if (tool === 'watch' || (tool === 'save_task' && args['cron'] !== undefined)) {
    const { recipe, cron = '@daily' } = args
    return {
      pages: mostPagesOf(recipe),
      often: ` each time, by the schedule ${String(cron).slice(0, 60)}`,
    }
  }
  return { pages: mostPages(tool, args), often: '' }
}

/** How many pages a run of a recipe may fetch. */
function mostPagesOf(recipe: unknown): number {
  const parts = isObject(recipe) ? recipe : {}
  const [start, crawl, budget] = [parts['start'], parts['crawl'], parts['budget']].map((part) =>
    isObject(part) ? part : {},
  )
  const follows =
    parts['follow'] !== undefined ||
    (crawl?.['scope'] !== 'page' && FOLLOWING.some((name) => crawl?.[name] !== undefined))
  const { urls, ...otherStarts } = start ?? {}
  // Braces in a URL stand for several.
  const isListed =
    Array.isArray(urls) &&
    Object.keys(otherStarts).length === 0 &&
    urls.every((url) => !String(url).includes('{'))
  const bounds = [
    budget?.['pages'],
    crawl?.['maxPages'],
    isListed && !follows ? urls.length : null,
  ].filter((one) => typeof one === 'number')
  return Math.min(Infinity, ...bounds)
}

/** Members of `crawl` with which a recipe follows links without having said which. */
const FOLLOWING = ['scope', 'maxDepth', 'include']

function mostPages(tool: string, args: { readonly [name: string]: unknown }): number {
  if (args['validateOnly'] === true) return 0
  if (typeof args['maxPages'] === 'number') return args['maxPages']
  if (tool === 'run_template') return Infinity
  return tool === 'crawl' ? CRAWL_PAGES : 1
}
