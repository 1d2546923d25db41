import { untilLate } from '../../kernel/in-time.ts'
import { authorityOf, originOf } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'
import { createPoliteness } from '../../engine/site/politeness.ts'
import type { Politeness } from '../../engine/site/politeness.ts'
import type { Egress } from '../../engine/egress/types.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { withoutPicture } from '../../engine/visit/load-page.ts'
import { weighRows } from '../../features/datasets/weigh-rows.ts'
import type { FrontierRecord, Reason, VisitRecord } from '../../features/executions/records.ts'
import type { Held } from '../advance-options.ts'
import { compileExecution, compileWithStarts } from '../compile-execution.ts'
import type { Compiled } from '../compile-execution.ts'
import { detectFirst } from './detect-first.ts'
import type { Detected } from './detect-first.ts'
import { Frontier } from '../commit/frontier.ts'
import { Journal } from '../commit/journal.ts'
import { PageCache } from '../archive/page-cache.ts'
import { searchStarts } from './search-starts.ts'
import type { Starts } from './search-starts.ts'
import { seed } from './seed.ts'
import type { Robots } from '../../engine/site/robots.ts'
import type { Metric, Telemetry } from '../../ports/telemetry.ts'

/**
 * An execution that is ready to crawl: its first URLs are in the frontier, and its recipe is
 * complete.
 */
export interface PreparedRun {
  /** The recipe, completed by detection on the first page. */
  readonly recipe: ParsedRecipe
  readonly plan: CrawlPlan
  readonly frontier: Frontier
  readonly journal: Journal
  readonly politeness: Politeness
  /** Pages of earlier executions. `null`: the recipe does not reuse pages. */
  readonly cache: PageCache | null
  /** The web, except for a page that is already in memory. */
  readonly egress: Egress
  /** True if other processes may visit its pages. */
  readonly shares: boolean
  /** True if no worker has prepared it before. */
  readonly isNew: boolean
  /** Hosts whose robots.txt was asked for before the crawl. */
  readonly knownHosts: readonly string[]
}

/**
 * Prepares a run: makes the search that it starts from, fills the frontier, and detects what the
 * recipe leaves open. Each step happens once, even if this is called again. If it returns a reason,
 * the execution fails with it. `stopped`: the worker must stop. `gave_way`: another account's turn
 * has come. `timed_out`: the time limit was reached before there was a page to visit; the crawl
 * checks it later.
 *
 * @throws {Overtaken} and any error of the store
 */
export async function prepareRun(held: Held): Promise<PreparedRun | Unprepared> {
  const { clock, execution, signal, startedAt } = held
  const compiled = await compileExecution(execution.value.recipe, held)
  if ('code' in compiled) return compiled
  const deadline = deadlineOf(compiled.plan, startedAt)
  if (deadline === null) return prepare(held, compiled)
  // The caller waits for this work, because it has the fence and makes commits.
  const prepared = await untilLate(
    {
      clock,
      ms: deadline - clock.now(),
      signal,
      failure: () => new Error("The execution's time limit was reached"),
    },
    (until) => prepare({ ...held, signal: until }, compiled),
  )
  return prepared === 'stopped' && !signal.aborted ? 'timed_out' : prepared
}

/** Why there is nothing to crawl. */
type Unprepared = Reason | 'stopped' | 'gave_way' | 'timed_out'

async function prepare(held: Held, first: Compiled): Promise<PreparedRun | Unprepared> {
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
  const { id, taskId, startedBy, datasetId } = execution.value
  const starts = await findStarts(held, first)
  if (starts === null) return 'stopped'
  const { compiled, found: foundStarts } = starts
  if ('code' in compiled) return compiled
  const { plan } = compiled
  const progress = await records.progress.get(account, id)
  if (!progress) throw new Error(`Execution ${id} has no progress record`)
  const isNew = progress.value.discovered === 0
  const cache = source ? null : await PageCache.open({ records, blobs, clock, account }, plan)
  const frontier = new Frontier(
    records,
    account,
    id,
    cache && ((entries) => cache.prepare(entries)),
  )
  await frontier.remember(isNew)
  const journal = new Journal({
    records,
    blobs,
    clock,
    account,
    taskId,
    startedBy,
    weigh: datasetId
      ? (rows) =>
          weighRows(held, {
            account,
            dataset: datasetId,
            task: taskId ?? '',
            rows,
            now: clock.now(),
          })
      : null,
    plan,
    ledger,
    prices,
    fence,
    frontier,
    progress,
    cache,
    keepBytes: held.keepBytes,
    onSettled(visits) {
      held.changed(id)
      if (held.telemetry) countVisits(held.telemetry, visits)
    },
  })
  const unseeded = await (source?.seed(journal, signal) ?? seed(held, plan, foundStarts, journal))
  if (unseeded) return unseeded
  const timings = isNew ? null : await records.hostTimings.get(account, id)
  const politeness = createPoliteness({
    clock,
    delayMs: plan.crawl.delayMs,
    ...(timings && { hosts: timings.value.hosts }),
  })
  // Helpers of an earlier holder may still have some hosts. A coordinator waits for a host's first
  // page before it assigns the next one anyway.
  const shares = held.share > 1 && !plan.keeps && cache === null
  const knownHosts =
    plan.crawl.robots && !shares
      ? await learnCrawlDelays(robots, [...plan.startUrls, ...foundStarts], politeness, signal)
      : []
  const detected = plan.detects ? await detect(held, compiled, politeness) : null
  // This run has fetched the page itself, so its copy is newer than the cached one.
  if (detected?.url !== undefined) cache?.forget(detected.url)
  const whole =
    detected === null ? compiled : await compileExecution(detected.recipe, held, foundStarts)
  if ('code' in whole) return whole
  return {
    ...whole,
    frontier,
    journal,
    politeness,
    cache,
    isNew,
    knownHosts,
    egress: detected?.egress ?? egress,
    // A run with open detection is not shared, because all processes must have the same result.
    shares: shares && (!plan.detects || detected !== null),
  }
}

/**
 * Returns the plan with the URLs of its search, if it starts from one. `null`: the worker must
 * stop.
 */
async function findStarts(held: Held, compiled: Compiled): Promise<Starts | null> {
  const { execution, source, signal } = held
  const { search } = compiled.plan
  if (source || search === null) return { compiled, found: [] }
  const compile = (foundStarts: readonly NormalUrl[]) =>
    compileWithStarts(compiled, held, foundStarts)
  const { id, failedOf } = execution.value
  return searchStarts({ ...held, execution: id, failedOf, compile }, search).catch(
    unlessStopped(signal),
  )
}

/** Detects what the recipe leaves open. `null`: no page allows it, or the worker must stop. */
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

/** Ignores errors after the worker was told to stop: the crawl checks the signal too. */
function unlessStopped(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null
    throw error
  }
}

/**
 * Hosts whose robots.txt is read before the crawl. For hosts found later it is read with their
 * first page.
 */
const MAX_ORIGINS = 50

/**
 * Reads robots.txt of the start hosts before their first page. Otherwise all their first pages
 * would be requested at once. Returns these hosts.
 */
async function learnCrawlDelays(
  robots: Robots,
  urls: readonly NormalUrl[],
  politeness: Politeness,
  signal: AbortSignal,
): Promise<string[]> {
  const first = new Map(urls.map((url) => [originOf(url), url]))
  const learn = async (url: NormalUrl): Promise<void> => {
    const answer = await robots.check(url, signal)
    if (answer.allowed) politeness.setCrawlDelay(url, answer.crawlDelayMs)
  }
  const learned = [...first.values()].slice(0, MAX_ORIGINS)
  // If the worker was told to stop, the crawl stops too.
  await Promise.all(learned.map((url) => learn(url).catch(() => {})))
  return learned.map(authorityOf)
}

/** The time at which an execution reaches its time limit, in Unix ms. `null`: it has no limit. */
export function deadlineOf({ limits }: CrawlPlan, startedAt: number): number | null {
  return limits.maxSeconds === null ? null : startedAt + limits.maxSeconds * 1_000
}

const PAGES: Metric = {
  name: 'seine.pages',
  unit: '{page}',
  description: 'Pages of executions by outcome, each counted once, when it is committed',
}
const ROWS: Metric = {
  name: 'seine.rows',
  unit: '{row}',
  description: 'Rows of executions, each counted once, when it is committed',
}

/** Counts the pages and rows of a commit. */
function countVisits(telemetry: Telemetry, visits: readonly VisitRecord[]): void {
  const pages = new Map<string, number>()
  let rows = 0
  for (const visit of visits) {
    pages.set(visit.outcome, (pages.get(visit.outcome) ?? 0) + 1)
    rows += visit.rows
  }
  for (const [outcome, count] of pages)
    telemetry.count(PAGES, count, { 'seine.page.outcome': outcome })
  if (rows > 0) telemetry.count(ROWS, rows, {})
}
