import { CRAWL_PAGES } from '../features/agentic/tool-schema.ts'
import { highestPrice } from '../kernel/price.ts'
import type { PriceTable } from '../kernel/price.ts'
import { isObject } from '../kernel/json.ts'

/** The maximum cost of a call. */
export interface Spending {
  /** `Infinity`: the cost is not known before the call. */
  readonly credits: number
  /** The same as a text, with the number of pages. */
  readonly most: string
}

type Args = { readonly [name: string]: unknown }

/**
 * The maximum cost of a call, at once or at each run of the schedule that it creates. The maximum
 * of a template is known only to the template.
 */
export function spendingOf(tool: string, args: Args = {}, prices: PriceTable): Spending {
  if (tool !== 'watch' && (tool !== 'save_task' || args['cron'] === undefined)) {
    const isTemplate = tool === 'run_template'
    const pages = mostPages(tool, args)
    // A template may ask a model. The other tools do not.
    const price = highestPrice(prices, { rendered: true, modelled: isTemplate })
    return spending({ pages, price, bound: isTemplate ? 'template' : 'recipe' })
  }
  const { recipe, cron = '@daily' } = args
  const price = highestPrice(prices, { rendered: true, modelled: mayAskModel(recipe) })
  const often = ` each time by the schedule ${String(cron).slice(0, 60)}`
  return spending({ pages: mostPagesOf(recipe), price, budget: mostCreditsOf(recipe), often })
}

function spending({
  pages,
  price,
  budget = Infinity,
  bound = 'recipe',
  often = '',
}: {
  readonly pages: number
  /** Maximum price of a page. */
  readonly price: number
  readonly budget?: number
  readonly bound?: string
  readonly often?: string
}): Spending {
  // Free pages cost nothing, even if their number is unlimited.
  const credits = price === 0 ? 0 : Math.min(pages * price, budget)
  const each = `; a page costs at most ${price}`
  if (credits === Infinity)
    return { credits, most: `as many credits as the ${bound} allows${often}${each}` }
  const counted = pages === Infinity ? '' : ` for up to ${pages} ${pages === 1 ? 'page' : 'pages'}`
  return { credits, most: `up to ${credits} credits${counted}${often}${each}` }
}

/** True if a recipe may ask a model. A column with that name also counts, because this is a maximum. */
function mayAskModel(recipe: unknown): boolean {
  return JSON.stringify(recipe ?? null).includes('"model"')
}

/** The maximum credits that a recipe sets for itself. */
function mostCreditsOf(recipe: unknown): number {
  const budget = isObject(recipe) ? recipe['budget'] : null
  const credits = isObject(budget) ? budget['credits'] : null
  return typeof credits === 'number' ? credits : Infinity
}

/** Maximum number of pages that a run of a recipe may fetch. */
function mostPagesOf(recipe: unknown): number {
  const parts = isObject(recipe) ? recipe : {}
  const [start, crawl, budget] = [parts['start'], parts['crawl'], parts['budget']].map((part) =>
    isObject(part) ? part : {},
  )
  const follows =
    parts['follow'] !== undefined ||
    (crawl?.['scope'] !== 'page' && FOLLOWING.some((name) => crawl?.[name] !== undefined))
  const { urls, ...otherStarts } = start ?? {}
  // Braces in a URL stand for several URLs.
  const isListed =
    Array.isArray(urls) &&
    Object.keys(otherStarts).length === 0 &&
    urls.every((url) => !String(url).includes('{'))
  const bounds = [
    budget?.['pages'],
    crawl?.['maxPages'],
    isListed && !follows ? urls.length : null,
  ].filter((bound) => typeof bound === 'number')
  return Math.min(Infinity, ...bounds)
}

/** Members of `crawl` that make a recipe follow links, even without `follow`. */
const FOLLOWING = ['scope', 'maxDepth', 'include']

function mostPages(tool: string, { maxPages, validateOnly }: Args): number {
  if (tool === 'fetch') return 1
  // The other tools read stored data, or are previews.
  if ((tool !== 'crawl' && tool !== 'run_template') || validateOnly === true) return 0
  if (typeof maxPages === 'number') return maxPages
  return tool === 'crawl' ? CRAWL_PAGES : Infinity
}
