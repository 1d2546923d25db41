import type { ReadByModel } from '../engine/model/model-reader.ts'
import { mostWork } from '../engine/recipe/most-work.ts'
import type { Plan } from '../engine/recipe/plan.ts'
import { prepareRecipe } from '../engine/recipe/prepare-recipe.ts'
import { createPoliteness } from '../engine/crawl/politeness.ts'
import type { Politeness } from '../engine/crawl/politeness.ts'
import { withoutPicture } from '../engine/render/load-page.ts'
import type { Renderer } from '../engine/render/renderer.ts'
import { readSitemap } from '../engine/crawl/sitemap.ts'
import type { Robots } from '../engine/crawl/robots.ts'
import { EgressError } from '../engine/egress/types.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { FindStarts } from '../features/common/find-starts.ts'
import type { Ledger } from '../features/common/ledger/ledger.ts'
import { highestPrice, keptPrices } from '../kernel/price.ts'
import type { PriceTable } from '../kernel/price.ts'
import type { Blobs } from '../ports/blobs.ts'
import type { Clock } from '../ports/clock.ts'
import type { Logger } from '../ports/logger.ts'
import type { PageProcessor } from '../ports/page-processor.ts'
import type { PdfReader } from '../ports/pdf-reader.ts'
import type { JobResult } from '../ports/queue.ts'
import { Change } from '../records/change.ts'
import type { Stored } from '../records/collection.ts'
import type { Records } from '../records/records.ts'
import type { ExecutionRecord, FrontierRecord, Reason, StartList } from '../records/types.ts'
import { Allowance } from './allowance.ts'
import { compileExecution } from './compile-execution.ts'
import { CrewMail } from './crew-mail.ts'
import { Crew } from './crew.ts'
import type { Crewmates } from './crewmates.ts'
import { detectFirst } from './detect-first.ts'
import { Fence } from './fence.ts'
import { finish } from './finish.ts'
import { Frontier } from './frontier.ts'
import { Journal, Overtaken } from './journal.ts'
import { KeptSource, WITHOUT_WEB } from './kept-source.ts'
import { fetcherOf, openMedia, openTaker } from './open-media.ts'
import type { MediaSettings } from './open-media.ts'
import { emptyOutcome } from './outcome.ts'
import type { PageOutcome } from './outcome.ts'
import { openProcess } from './open-process.ts'
import { PageCache } from './page-cache.ts'
import { PoliteVisits } from './polite-visits.ts'
import { Run } from './run.ts'
import type { Stop } from './run.ts'
import { searchStarts } from './search-starts.ts'
import { takeMedia } from './take-media.ts'
import { visit } from './visit.ts'
import type { VisitContext } from './visit.ts'
import { visitCached } from './visit-cached.ts'

/** Start URLs or skipped URLs of one commit. */
const BATCH = 500
/** Hosts whose robots.txt is read ahead; those found on the way are read when their first page is due. */
const MAX_ORIGINS = 50

/** What advancing an execution needs. */
export interface AdvanceOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly egress: Egress
  readonly findStarts: FindStarts
  readonly robots: Robots
  /** `null`: there is no browser. */
  readonly renderer: Renderer | null
  readonly readPdf: PdfReader
  /** `null`: there is no model. */
  readonly model: ReadByModel | null
  readonly clock: Clock
  readonly logger: Logger
  /** Where pages become rows; by default here. */
  readonly processor?: PageProcessor
  /** How long a holder that shows no sign of life is left alone. */
  readonly leaseMs: number
  readonly ledger: Ledger
  readonly prices: PriceTable
  /** Told after each commit that changed an execution. */
  readonly changed: (executionId: string) => void
  readonly media: MediaSettings
  /** The most bytes of an execution's pages that are kept. */
  readonly keepBytes: number
  /** Processes that may work on one execution; 1: its holder alone. */
  readonly share: number
  readonly crewmates: Crewmates
  /** A fresh name for the holder of a fence. */
  readonly newHolder: () => string
}

/**
 * Works on one execution until it is finished, stopped by `signal`, or someone else's. Safe to call at any time, any
 * number of times, from any number of workers: only the holder of the fence can write.
 */
export async function advance(options: AdvanceOptions, account: string, executionId: string, signal: AbortSignal): Promise<JobResult> {
  const { records, clock, leaseMs } = options
  const execution = await records.executions.get(account, executionId)
  if (!execution || (execution.value.status !== 'queued' && execution.value.status !== 'running')) return 'done'
  const fence = await Fence.take(records, account, execution, { holder: options.newHolder(), now: clock.now(), leaseMs })
  if (fence === 'lost') return { again: clock.now() }
  if (!(fence instanceof Fence)) return { again: fence.busyUntil }
  options.changed(executionId)
  const leaves = options.crewmates.lead(executionId)
  try {
    return await hold(options, account, execution, fence, signal)
  } catch (error) {
    if (error instanceof Overtaken) return 'done'
    await release(options, executionId, fence)
    throw error
  } finally {
    leaves()
    options.changed(executionId)
  }
}

async function hold(given: AdvanceOptions, account: string, execution: Stored<ExecutionRecord>, fence: Fence, signal: AbortSignal): Promise<JobResult> {
  const { extractOf } = execution.value
  const source = extractOf === undefined ? null : new KeptSource({ ...given, account, execution: extractOf })
  const options = source ? { ...given, ...WITHOUT_WEB, prices: keptPrices(given.prices) } : given
  const { records, blobs, clock, egress, robots, renderer, readPdf, model, logger, leaseMs, ledger, prices } = options
  const { id, taskId } = execution.value
  await prepareRecipe(execution.value.recipe)
  const compile = (starts: readonly string[]) => compileExecution(execution.value.recipe, options, starts)
  const named = compile([])
  const opened = source || !('process' in named) || named.search === null ? { plan: named, found: [] } : await searchStarts({ ...options, account, execution: id, fence, signal, compile }, named.search).catch(unlessStopped(signal))
  if (opened === null) {
    await release(options, id, fence)
    return { again: clock.now() }
  }
  const { plan, found } = opened
  if (!('process' in plan)) {
    await finish(options, account, id, fence, { status: 'failed', reason: plan }, clock.now())
    return 'done'
  }
  const progress = await records.progress.get(account, id)
  if (!progress) throw new Error(`Execution ${id} has no progress record`)
  const cache = source ? null : await PageCache.open({ records, blobs, clock, account }, plan)
  const frontier = new Frontier(records, account, id, cache && ((entries) => cache.look(entries)))
  await frontier.remember(progress.value.discovered === 0)
  const journal = new Journal({ records, blobs, clock, account, taskId, plan, ledger, prices, fence, frontier, progress, cache, keepBytes: options.keepBytes, onSettled: () => options.changed(id) })
  const unseeded = await (source?.seed(journal) ?? seed(options, plan, found, journal, signal))
  if (unseeded) {
    await finish(options, account, id, fence, { status: 'failed', reason: unseeded }, clock.now())
    return 'done'
  }
  const politeness = createPoliteness({ clock, delayMs: plan.crawl.delayMs })
  // Hosts may be with helpers of an earlier holder. A crew waits for a host's first page anyway, before it gives out the next.
  const shares = options.share > 1 && !plan.keeps && cache === null
  if (plan.crawl.robots && !shares) await learnCrawlDelays(robots, [...plan.startUrls, ...found], politeness, signal)
  const deadline = plan.limits.maxSeconds === null ? null : (execution.value.startedAt ?? clock.now()) + plan.limits.maxSeconds * 1_000
  const asRobots = plan.crawl.robots ? robots : null
  const first = plan.detects ? await detectFirst({ records, account, execution: id, fence, egress, robots: asRobots, renderer, readPdf, clock, politeness, request: withoutPicture(plan.request), signal, ...(source && { egressFor: (entry: FrontierRecord) => source.egressFor(entry) }) }).catch(unlessStopped(signal)) : null
  // That page is here already, and younger.
  if (first?.url !== undefined) cache?.forget(first.url)
  const detected = first === null ? plan : compileExecution(first.recipe, options, found)
  if (!('process' in detected)) {
    await finish(options, account, id, fence, { status: 'failed', reason: detected }, clock.now())
    return 'done'
  }
  const { process, close } = openProcess(options.processor, first?.recipe ?? execution.value.recipe, detected)
  const keeper = await openMedia(detected, { ...options, account, robots: asRobots, politeness })
  const allowance = await Allowance.open({ ledger, clock, account, execution: id, price: highestPrice(prices, mostWork(plan)), concurrency: plan.crawl.concurrency, progress: () => journal.stored })
  // What was set aside was worked out by the prices of then; the run keeps to it by those of now.
  const maxCredits = execution.value.reserved ?? plan.limits.maxCredits
  const context: Omit<VisitContext, 'signal'> = { plan: detected, process, egress: first?.egress ?? egress, robots: asRobots, renderer, readPdf, model, clock, politeness, keeper }
  const visitHere = (entry: FrontierRecord, aborted: AbortSignal): Promise<PageOutcome> => {
    const visitBy = (by: Egress): Promise<PageOutcome> => visit(entry, { ...context, egress: by, signal: aborted })
    if (cache) return visitCached(entry, cache, { ...context, signal: aborted })
    return source?.visit(entry, visitBy) ?? visitBy(context.egress)
  }
  // What is still to be found out on a page must be the same for all.
  const crew = shares && (!plan.detects || first !== null) ? await openCrew(options, account, id, fence, context, visitHere, progress.value.discovered === 0) : null
  const taker = openTaker(keeper, crew, { limits: options.media.limits, share: options.share, before: journal.progress.media })
  const visitAnywhere = async (entry: FrontierRecord, aborted: AbortSignal): Promise<PageOutcome> => takeMedia(await (crew?.visit(entry) ?? visitHere(entry, aborted)), detected, taker, aborted)
  const run = new Run({ plan: detected, journal, frontier, fence, politeness, clock, logger, leaseMs, prices, maxCredits, allowance, deadline, signal, crew, isCached: (entry) => cache?.has(entry) === true, visit: visitAnywhere })
  const stop = await run.crawl().finally(close)
  if (stop === 'interrupted') {
    await release(options, id, fence)
    return { again: clock.now() }
  }
  await skipRest(options, account, id, journal, stop)
  await finish(options, account, id, fence, { ...verdict(detected, journal, stop), found: { progress: journal.progress, columns: detected.columns } }, clock.now())
  return 'done'
}

/** Calls for helpers, and takes over what those of an earlier holder have. */
async function openCrew({ records, clock, logger }: AdvanceOptions, account: string, execution: string, fence: Fence, { plan, politeness, keeper }: Omit<VisitContext, 'signal'>, visitHere: (entry: FrontierRecord, signal: AbortSignal) => Promise<PageOutcome>, isNew: boolean): Promise<Crew> {
  const mail = new CrewMail({ records, account, execution, fence })
  await mail.open()
  const { concurrency, together, delayMs } = plan.crawl
  const visits = new PoliteVisits({ politeness, clock, concurrency })
  const crew = new Crew({ mail, clock, logger, execution, concurrency, together, visits, visit: visitHere, fetch: fetcherOf(keeper), firstTurn: isNew ? 0 : clock.now() + delayMs })
  await crew.adopt()
  return crew
}

/** A stopped worker finds out nothing; the crawl sees the signal too. */
function unlessStopped(signal: AbortSignal): (error: unknown) => null {
  return (error) => {
    if (signal.aborted) return null
    throw error
  }
}

/** Puts the start URLs into the frontier, with what was `found`. Repeated after a crash it adds only what is missing. */
async function seed({ egress }: AdvanceOptions, plan: Plan, found: readonly string[], journal: Journal, signal: AbortSignal): Promise<Reason | null> {
  if (journal.progress.seeded) return null
  const asSeeds = (urls: readonly string[], listedBy?: StartList) => urls.map((url) => ({ url, label: 'start', depth: 0, hop: 1, ...(listedBy && { listedBy }) }))
  for (let i = 0; i < plan.startUrls.length; i += BATCH) await journal.write([], asSeeds(plan.startUrls.slice(i, i + BATCH)))
  if (found.length > 0) await journal.write([], asSeeds(found, 'search'))
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    try {
      if (url === null) continue
      for await (const urls of readSitemap(url, { egress, signal, maxUrls: plan.limits.maxPages })) {
        for (let i = 0; i < urls.length; i += BATCH) await journal.write([], asSeeds(urls.slice(i, i + BATCH), list))
      }
    } catch (error) {
      if (error instanceof EgressError && !signal.aborted) return { code: `${list}_${error.reason}`, message: `The ${list} could not be read: ${error.message}` }
      // A stopped worker leaves the rest of the list to the next one; the crawl below sees the signal too.
      if (signal.aborted) return null
      throw error
    }
  }
  await journal.write([], [], true)
  return null
}

/** Reads the start hosts' robots.txt before their first turn is given out, or their first pages would go out together. */
async function learnCrawlDelays(robots: Robots, urls: readonly string[], politeness: Politeness, signal: AbortSignal): Promise<void> {
  const first = new Map(urls.map((url) => [new URL(url).origin, url]))
  const learn = async (url: string): Promise<void> => {
    const answer = await robots.check(url, signal)
    if (answer.allowed) politeness.setCrawlDelay(url, answer.crawlDelayMs)
  }
  // A stopped worker learns nothing here, and stops in the crawl.
  await Promise.all([...first.values()].slice(0, MAX_ORIGINS).map((url) => learn(url).catch(() => {})))
}

/** Gives every URL that a limit left unvisited its outcome, so that the receipt is whole. */
async function skipRest({ records }: AdvanceOptions, account: string, id: string, journal: Journal, stop: Stop): Promise<void> {
  if (stop === 'exhausted') return
  const reason: Reason = { code: stop, message: STOP_TEXT[stop] }
  for (;;) {
    const rest = await records.frontier.list(account, { within: [id], limit: BATCH })
    if (rest.length === 0) return
    await journal.write(rest.map(({ value }) => emptyOutcome(value, 'skipped_limit', reason)))
  }
}

const STOP_TEXT: Record<Stop, string> = {
  exhausted: 'Nothing was left to visit',
  page_limit: 'The limit of pages was reached',
  credit_limit: 'The budget of credits was used up',
  daily_cap: 'The credits that the account may spend in a day were used up',
  time_limit: 'The time limit was reached',
  interrupted: 'The worker was stopped',
}

/** The final state that the counters call for (design 4.4). */
function verdict(plan: Plan, journal: Journal, stop: Stop): { status: 'succeeded' | 'failed' | 'timed_out'; reason: Reason | null } {
  const { outcomes, firstError, extracted, rows, filled } = journal.progress
  if (stop === 'time_limit') return { status: 'timed_out', reason: { code: 'time_limit', message: STOP_TEXT.time_limit } }
  if (stop === 'daily_cap' && journal.progress.visited === 0) return { status: 'failed', reason: { code: stop, message: STOP_TEXT.daily_cap } }
  if (!outcomes.fetched && !outcomes.unchanged && rows === 0) {
    return { status: 'failed', reason: { code: 'no_page_fetched', message: `No page could be fetched. ${firstError ?? 'See the pages for why each was skipped.'}` } }
  }
  if (extracted === 0) return { status: 'failed', reason: { code: 'nothing_extracted', message: 'No page had the label that extract.on names; does a follow rule match?' } }
  const empty = plan.columns.filter((column) => !filled[column])
  if (rows === 0 || empty.length === plan.columns.length) {
    return { status: 'failed', reason: { code: 'nothing_matched', message: `The recipe matched nothing on any page; fields without a value: ${empty.join(', ')}` } }
  }
  return { status: 'succeeded', reason: stop === 'exhausted' ? null : { code: stop, message: STOP_TEXT[stop] } }
}

/** Lets another worker go on at once. Best effort: without it the lease runs out by itself. */
async function release({ records, logger }: AdvanceOptions, executionId: string, fence: Fence): Promise<void> {
  const change = new Change()
  fence.release(change)
  try {
    await records.commit(change)
  } catch (error) {
    logger.warn('A fence could not be released; it ends with its lease', { execution: executionId, error })
  }
}
