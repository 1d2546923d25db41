import type { Client, RecipeInput } from 'seine/client'

/** Two accounts of one platform, and the workers that they share. */
export interface FairStage {
  /** The account with many executions. */
  readonly busy: Client
  /** The account that starts a run of one page. */
  readonly other: Client
  /** Starts so many executions of the busy account. */
  startMany(recipe: RecipeInput, count: number): Promise<void>
  /** The address of a `startFairSite`. */
  readonly site: string
  readonly executions: number
  /** Places of the workers that are at work before the other account comes. */
  readonly places: number
  /** The same with those of workers that its start begins. Default: it begins none. */
  readonly allPlaces?: number
}

/** The counts of {@link playFairShares}. */
export interface FairFigures {
  /** Pages of the busy account, after the other's start was acknowledged and before its page. */
  readonly before: number
  /** How the other account's run has ended. */
  readonly status: string
  /** Executions of the busy account that had not begun then, of the first hundred. */
  readonly waiting: number
}

/** Pages of each execution of the busy account: more than one, so that one must give way. */
const PAGES = 3
/** Pages that are answered before the other account comes: several executions of each place. */
const FLOWING = 40

/**
 * An account has many executions, all places are at its pages, and another account starts a run of
 * one page. The site says how long pages take, so no clock is needed: when the start is
 * acknowledged, the page that each place is at ends, and none of those that follow does before the
 * other's page was asked for.
 *
 * So `before` is at most the number of places, one page a place, if the other's run needs no second
 * page of any place to end. If it needs one, it does not come. Then the site loses its patience and
 * lets all pages through, and `before` has those that are really first, up to a hundred.
 */
export async function playFairShares(stage: FairStage): Promise<FairFigures> {
  const { busy, other, site, executions, places, allPlaces = places } = stage
  const tell = async (order: string): Promise<unknown> =>
    (await fetch(`${site}/gate/${order}`, { method: 'POST' })).json()
  const recipe = recipeOf(Array.from({ length: PAGES }, (_, n) => `${site}/a/${n}`))
  await tell('hold')
  await stage.startMany(recipe, executions - 1)
  await busy.executions.run({ recipe })
  await tell(`fill?pages=${FLOWING}&places=${places}`)
  const { id } = await other.executions.run({ recipe: recipeOf([`${site}/b`]) })
  await tell('started')
  const before = Number(await tell('first'))
  let status = 'not waited for'
  if (before <= allPlaces)
    for await (const execution of other.executions.follow(id)) status = execution.status
  const { items } = await busy.executions.list({ status: 'queued', limit: 100 })
  // Those that gave way go on. A further start begins work where nothing but writes does.
  const opened = tell(`open?pages=${2 * allPlaces}`)
  await busy.executions.run({ recipe })
  await opened
  return { before, status, waiting: items.length }
}

function recipeOf(urls: readonly string[]): RecipeInput {
  return {
    start: { urls: [...urls] },
    crawl: { concurrency: 1, delayMs: 0 },
    page: { timeoutMs: 120_000 },
    extract: { fields: { title: 'h1' } },
    budget: { pages: urls.length },
  }
}
