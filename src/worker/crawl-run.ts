import { mostWork } from '../engine/plan/plan.ts'
import { highestPrice } from '../kernel/price.ts'
import type { Egress } from '../engine/egress/types.ts'
import type { FrontierRecord } from '../records/types.ts'
import type { Held } from './advance-options.ts'
import { Allowance } from './allowance.ts'
import { CrewMail } from './crew-mail.ts'
import { Crew } from './crew.ts'
import { fetcherOf, openMedia, openTaker } from './open-media.ts'
import type { PageOutcome } from './outcome.ts'
import { PoliteVisits } from './polite-visits.ts'
import type { PreparedRun } from './prepare-run.ts'
import { Run } from './run.ts'
import type { Rest, Stop } from './run-options.ts'
import { takeMedia } from './take-media.ts'
import { visit } from './visit.ts'
import type { VisitContext } from './visit.ts'
import { visitCached } from './visit-cached.ts'

type Visit = (entry: FrontierRecord, signal: AbortSignal) => Promise<PageOutcome>

/**
 * Visits what the frontier holds, here and with helpers, until nothing is left, a limit is met, the
 * worker is to stop or another account's turn has come.
 *
 * @throws {Overtaken} and whatever the store throws
 */
export async function crawlRun(
  held: Held,
  prepared: PreparedRun,
): Promise<{ readonly stop: Stop; readonly rest: Rest }> {
  const {
    clock,
    logger,
    ledger,
    prices,
    account,
    execution,
    fence,
    signal,
    leaseMs,
    renderer,
    readPdf,
    model,
    lost,
    turn,
    startedAt,
  } = held
  const { plan, recipe, frontier, journal, politeness, cache, egress } = prepared
  const { id, reserved } = execution.value
  const robots = plan.crawl.robots ? held.robots : null
  const pages = (await held.pagesOf(account)).open(recipe)
  const keeper = await openMedia(plan, { ...held, robots, politeness })
  const allowance = await Allowance.open({
    ledger,
    clock,
    account,
    execution: id,
    price: highestPrice(prices, mostWork(plan)),
    concurrency: plan.crawl.concurrency,
    progress: () => journal.stored,
  })
  const context: Omit<VisitContext, 'signal'> = {
    plan,
    pages,
    egress,
    robots,
    renderer,
    readPdf,
    model,
    clock,
    politeness,
    keeper,
  }
  const visitHere = visitorOf(held, prepared, context)
  const crew = prepared.shares ? await openCrew(held, prepared, context, visitHere) : null
  const taker = openTaker(keeper, crew, {
    limits: held.media.limits,
    share: held.share,
    before: journal.progress.media,
  })
  const visitAnywhere: Visit = async (entry, aborted) =>
    takeMedia(await (crew?.visit(entry) ?? visitHere(entry, aborted)), plan, taker, aborted)
  const run = new Run({
    plan,
    journal,
    frontier,
    fence,
    politeness,
    clock,
    logger,
    leaseMs,
    prices,
    allowance,
    signal,
    crew,
    lost,
    turn,
    visit: visitAnywhere,
    isCached: (entry) => cache?.has(entry) === true,
    // What was set aside was worked out by the prices of then; the run keeps to it by those of now.
    maxCredits: reserved ?? plan.limits.maxCredits,
    deadline: plan.limits.maxSeconds === null ? null : startedAt + plan.limits.maxSeconds * 1_000,
  })
  const stop = await run.crawl().finally(() => pages.close())
  return { stop, rest: run.rest() }
}

/** Visits a page from this process: on the web, or wherever it is kept. */
function visitorOf(
  { source }: Held,
  { cache }: PreparedRun,
  context: Omit<VisitContext, 'signal'>,
): Visit {
  return (entry, signal) => {
    if (cache) return visitCached(entry, cache, { ...context, signal })
    const visitBy = (egress: Egress): Promise<PageOutcome> =>
      visit(entry, { ...context, egress, signal })
    return source?.visit(entry, visitBy) ?? visitBy(context.egress)
  }
}

/** Calls for helpers, and takes over what those of an earlier holder have. */
async function openCrew(
  { records, clock, logger, account, execution, fence }: Held,
  { isNew }: PreparedRun,
  { plan, politeness, keeper }: Omit<VisitContext, 'signal'>,
  visitHere: Visit,
): Promise<Crew> {
  const { id } = execution.value
  const mail = new CrewMail({ records, account, execution: id, fence })
  await mail.open()
  const { concurrency, together, delayMs } = plan.crawl
  const visits = new PoliteVisits({ politeness, clock, concurrency })
  const crew = new Crew({
    mail,
    clock,
    logger,
    execution: id,
    concurrency,
    together,
    visits,
    visit: visitHere,
    fetch: fetcherOf(keeper),
    firstTurn: isNew ? 0 : clock.now() + delayMs,
  })
  await crew.adopt()
  return crew
}
