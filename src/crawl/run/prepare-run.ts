import { createPoliteness } from '../../engine/site/politeness.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { withoutPicture } from '../../engine/visit/load-page.ts'
import type { FrontierRecord, Reason } from '../../features/executions/records.ts'
import type { Held } from '../advance-options.ts'
import { compileExecution, compileWithStarts } from '../compile-execution.ts'
import type { Compiled } from '../compile-execution.ts'
import { detectFirst } from './detect-first.ts'
import type { Detected } from './detect-first.ts'
import { Frontier } from '../commit/frontier.ts'
import { Journal } from '../commit/journal.ts'
import { PageCache } from '../archive/page-cache.ts'
import { searchStarts, seed } from './seed.ts'
import type { Starts } from './seed.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** An execution whose first URLs are in the frontier, and of whose recipe nothing is open any more. */
export interface PreparedRun {
  /** The recipe, with what was found out on the first page. */
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
  readonly frontier: Frontier
  readonly journal: Journal
  readonly politeness: Politeness
  /** Pages of earlier executions; `null`: the recipe asks for none. */
  readonly cache: PageCache | null
  /** Gives the page that was looked at already without asking for it again. */
  readonly egress: Egress
  /** Whether other processes may visit pages of it. */
  readonly shares: boolean
  /** Whether no worker has prepared it before. */
  readonly isNew: boolean
}

/**
 * Searches for starts, fills the frontier and finds out what the recipe leaves to the first page,
 * each once, however often it is called. A reason: the execution fails with it. `stopped`: the
 * worker is to stop. `gave_way`: another account's turn has come. `timed_out`: its time was over
 * before there was anything to visit; where it is over later, the crawl sees it.
 *
 * @throws {Overtaken} and whatever the store throws
 */
export async function prepareRun(held: Held): Promise<PreparedRun | Unprepared> {
  const { clock, execution, signal, startedAt } = held
  const compiled = await compileExecution(execution.value.recipe, held)
  if ('code' in compiled) return compiled
  const { maxSeconds } = compiled.plan.limits
  if (maxSeconds === null) return prepareInTime(held, compiled)
  const late = new AbortController()
  const ended = new AbortController()
  clock.sleep(startedAt + maxSeconds * 1_000 - clock.now(), ended.signal).then(
    () => late.abort(new Error("The execution's time limit was reached")),
    () => {},
  )
  const prepared = await prepareInTime(
    { ...held, signal: AbortSignal.any([signal, late.signal]) },
    compiled,
  ).finally(() => ended.abort())
  return prepared === 'stopped' && !signal.aborted ? 'timed_out' : prepared
}

/** Why there is nothing to crawl. */
type Unprepared = Reason | 'stopped' | 'gave_way' | 'timed_out'

async function prepareInTime(held: Held, first: Compiled): Promise<PreparedRun | Unprepared> {
  const {
    records,
    blobs,
    clock,
    account,
    execution,
    fence,
    source,
    signal,
    egress,
    robots,
    ledger,
    prices,
  } = held
  const { id, taskId } = execution.value
  const starts = await findStarts(held, first)
  if (starts === null) return 'stopped'
  const { compiled, found } = starts
  if ('code' in compiled) return compiled
  const { plan } = compiled
  const progress = await records.progress.get(account, id)
  if (!progress) throw new Error(`Execution ${id} has no progress record`)
  const isNew = progress.value.discovered === 0
  const cache = source ? null : await PageCache.open({ records, blobs, clock, account }, plan)
  const frontier = new Frontier(records, account, id, cache && ((entries) => cache.look(entries)))
  await frontier.remember(isNew)
  const journal = new Journal({
    records,
    blobs,
    clock,
    account,
    taskId,
    plan,
    ledger,
    prices,
    fence,
    frontier,
    progress,
    cache,
    keepBytes: held.keepBytes,
    onSettled: () => held.changed(id),
  })
  const unseeded = await (source?.seed(journal) ?? seed(held, plan, found, journal))
  if (unseeded) return unseeded
  const turns = isNew ? null : await records.hostTurns.get(account, id)
  const politeness = createPoliteness({
    clock,
    delayMs: plan.crawl.delayMs,
    ...(turns && { turns: turns.value.hosts }),
  })
  // Hosts may be with helpers of an earlier holder. A coordinator waits for a host's first page anyway,
  // before it gives out the next.
  const shares = held.share > 1 && !plan.keeps && cache === null
  if (plan.crawl.robots && !shares)
    await learnCrawlDelays(robots, [...plan.startUrls, ...found], politeness, signal)
  const detected = plan.detects ? await detect(held, compiled, politeness) : null
  // That page is here already, and younger.
  if (detected?.url !== undefined) cache?.forget(detected.url)
  const whole = detected === null ? compiled : await compileExecution(detected.recipe, held, found)
  if ('code' in whole) return whole
  return {
    ...whole,
    frontier,
    journal,
    politeness,
    cache,
    isNew,
    egress: detected?.egress ?? egress,
    // What is still to be found out on a page must be the same for all.
    shares: shares && (!plan.detects || detected !== null),
  }
}

/** The plan with what its search has found, where it starts from one; `null`: the worker is to stop. */
async function findStarts(held: Held, compiled: Compiled): Promise<Starts | null> {
  const { execution, source, signal } = held
  const { search } = compiled.plan
  if (source || search === null) return { compiled, found: [] }
  const compile = (found: readonly NormalUrl[]) => compileWithStarts(compiled, held, found)
  return searchStarts({ ...held, execution: execution.value.id, compile }, search).catch(
    unlessStopped(signal),
  )
}

/** What the recipe leaves to the first page; `null` where no page says, or the worker is to stop. */
async function detect(
  held: Held,
  { plan, recipe }: Compiled,
  politeness: Politeness,
): Promise<Detected | null> {
  const { execution, source, signal, robots } = held
  const own = source && { egressFor: (entry: FrontierRecord) => source.egressFor(entry) }
  return detectFirst({
    ...held,
    execution: execution.value.id,
    recipe,
    robots: plan.crawl.robots ? robots : null,
    politeness,
    request: withoutPicture(plan.request),
    ...own,
  }).catch(unlessStopped(signal))
}

/** A stopped worker finds out nothing; the crawl sees the signal too. */
function unlessStopped(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null
    throw error
  }
}

/**
 * Hosts whose robots.txt is read ahead; those found on the way are read when their first page is
 * due.
 */
const MAX_ORIGINS = 50

/**
 * Reads the start hosts' robots.txt before their first turn is given out, or their first pages
 * would go out together.
 */
async function learnCrawlDelays(
  robots: Robots,
  urls: readonly string[],
  politeness: Politeness,
  signal: AbortSignal,
): Promise<void> {
  const first = new Map(urls.map((url) => [new URL(url).origin, url]))
  const learn = async (url: string): Promise<void> => {
    const answer = await robots.check(url, signal)
    if (answer.allowed) politeness.setCrawlDelay(url, answer.crawlDelayMs)
  }
  // A stopped worker learns nothing here, and stops in the crawl.
  await Promise.all(
    [...first.values()].slice(0, MAX_ORIGINS).map((url) => learn(url).catch(() => {})),
  )
}
