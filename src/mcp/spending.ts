import { CRAWL_PAGES } from '../features/agentic/tool-schema.ts'
import { highestPrice } from '../kernel/price.ts'
import type { PriceTable } from '../kernel/price.ts'
import { isObject } from '../kernel/json.ts'

/** The most that a call may spend. */
export interface Spending {
  /** `Infinity`: nobody knows before the call. */
  readonly credits: number
  /** The same in words, with the pages that it is for. */
  readonly most: string
}

type Args = { readonly [name: string]: unknown }

/**
 * The most that a call may spend, at once or each time by the schedule that it makes. Only a
 * template knows its own maximum.
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
  /** Of a page, at most. */
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

/** True if a recipe may ask a model. A column of that name says so too: this is the most. */
function mayAskModel(recipe: unknown): boolean {
  return JSON.stringify(recipe ?? null).includes('"model"')
}

/** The credits that a recipe limits itself to. */
function mostCreditsOf(recipe: unknown): number {
  const budget = isObject(recipe) ? recipe['budget'] : null
  const credits = isObject(budget) ? budget['credits'] : null
  return typeof credits === 'number' ? credits : Infinity
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
  ].filter((bound) => typeof bound === 'number')
  return Math.min(Infinity, ...bounds)
}

/** Members of `crawl` with which a recipe follows links without having said which. */
const FOLLOWING = ['scope', 'maxDepth', 'include']

function mostPages(tool: string, { maxPages, validateOnly }: Args): number {
  if (tool === 'fetch') return 1
  // The other tools read stored data, or are previews.
  if ((tool !== 'crawl' && tool !== 'run_template') || validateOnly === true) return 0
  if (typeof maxPages === 'number') return maxPages
  return tool === 'crawl' ? CRAWL_PAGES : Infinity
}
