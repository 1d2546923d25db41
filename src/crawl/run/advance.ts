import { keptPrices, highestPrice } from '../../kernel/price.ts'
import type { JobResult } from '../../ports/queue.ts'
import { Change } from '../../records/change.ts'
import type { AdvanceOptions, Held } from '../advance-options.ts'
import { requestSweepIfFinished } from '../commit/late-sweep.ts'
import { Fence, Overtaken } from '../commit/fence.ts'
import { finish } from '../commit/finish.ts'
import type { Ending } from '../commit/finish.ts'
import { KeptSource, WITHOUT_WEB } from '../archive/kept-source.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import { deadlineOf, prepareRun } from './prepare-run.ts'
import type { Rest, Stop } from './run-options.ts'
import { stopReason, storableRest, verdict } from './run-options.ts'
import { mostWork } from '../../engine/plan/plan.ts'
import { modelOf } from '../../engine/visit/visit-page.ts'
import type { FrontierRecord, ProgressRecord } from '../../features/executions/records.ts'
import { Allowance } from './allowance.ts'
import { ByteRoom } from './byte-room.ts'
import { AssignmentStore } from '../shared/assignments.ts'
import { Coordinator } from '../shared/coordinator.ts'
import { fetcherOf, openMedia, openTaker } from '../shared/open-media.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import { LocalQueue } from '../visit/page-queue.ts'
import type { PreparedRun } from './prepare-run.ts'
import { Run } from './run.ts'
import { visitStored } from '../visit/visit.ts'
import type { VisitContext } from '../visit/visit.ts'
import { PICTURE } from '../../engine/recipe/columns.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import type { MediaTaker } from '../media/media-taker.ts'
import { DAY_MS } from '../../kernel/time.ts'

/** Skipped URLs of one commit. */
const BATCH = 500
/**
 * Maximum number of URLs that are still marked as skipped when the time is over. The others stay
 * pending.
 */
const SKIPPED_LATE = 1_000
/** How long the times of hosts are stored, in ms. */
const HOSTS_MS = DAY_MS

/**
 * Works on one execution until it finishes, `signal` stops it, another worker takes the fence, or
 * another account's turn has come. Any number of workers can call it at any time, any number of
 * times: only the holder of the fence can write.
 */
export async function advance(
  options: AdvanceOptions,
  account: string,
  executionId: string,
  delivery: Pick<Held, 'signal' | 'lost' | 'turn'>,
): Promise<JobResult> {
  const { records, clock, leaseMs } = options
  const execution = await records.executions.get(account, executionId)
  if (!execution || (execution.value.status !== 'queued' && execution.value.status !== 'running')) {
    // A worker that has died may have written a blob after the sweep of the end.
    if (delivery.lost > 0)
      await requestSweepIfFinished({ ...options, account, execution: executionId })
    return 'done'
  }
  const fence = await Fence.take(records, account, execution, {
    holder: options.newHolder(),
    now: clock.now(),
    leaseMs,
    stillLeases: options.stillLeases,
  })
  if (fence === 'lost') return { again: clock.now() }
  if (!(fence instanceof Fence)) return { again: fence.busyUntil }
  options.changed(executionId)
  const leaves = options.localRuns.hold(executionId)
  try {
    return await hold(
      overKept({
        ...options,
        ...delivery,
        account,
        execution,
        fence,
        startedAt: execution.value.startedAt ?? clock.now(),
        source: null,
      }),
    )
  } catch (error) {
    if (error instanceof Overtaken) return afterOvertaking(options, account, executionId)
    await release(options, executionId, fence)
    throw error
  } finally {
    leaves()
    options.changed(executionId)
  }
}

/**
 * The end of a delivery that was overtaken. An execution that still runs keeps the job: the process
 * that now has the fence may have paused, and this may have been its job.
 */
async function afterOvertaking(
  { records, clock }: AdvanceOptions,
  account: string,
  id: string,
): Promise<JobResult> {
  const execution = await records.executions.get(account, id)
  const status = execution?.value.status
  return status === 'queued' || status === 'running' ? { again: clock.now() } : 'done'
}

/**
 * For an execution that reads kept pages, these pages replace the web: no request is made or
 * charged. Other executions are returned unchanged.
 */
function overKept(held: Held): Held {
  const { extractOf } = held.execution.value
  if (extractOf === undefined) return held
  return {
    ...held,
    ...WITHOUT_WEB,
    prices: keptPrices(held.prices),
    source: new KeptSource({ ...held, execution: extractOf }),
  }
}

/** Resumes an execution from its stored state, until it ends or the worker has to stop. */
async function hold(held: Held): Promise<JobResult> {
  const { clock, account, execution, fence } = held
  const { id } = execution.value
  const prepared = await prepareRun(held)
  if (prepared === 'stopped' || prepared === 'gave_way') return putDown(held)
  if (prepared === 'timed_out' || 'code' in prepared) {
    const ending =
      prepared === 'timed_out'
        ? { status: 'timed_out' as const, reason: stopReason('time_limit') }
        : { status: 'failed' as const, reason: prepared }
    await finish(held, account, id, fence, ending, clock.now())
    logEnd(held, ending)
    return 'done'
  }
  const { stop, rest } = await crawlRun(held, prepared)
  if (stop === 'interrupted' || stop === 'gave_way') return putDown(held, rest)
  const { plan, journal } = prepared
  if ((await skipRest(held, prepared, stop)) === 'interrupted') return putDown(held, rest)
  const ending = {
    ...verdict(plan, journal.progress, stop),
    found: { progress: journal.progress, columns: plan.columns },
  }
  await finish(held, account, id, fence, ending, clock.now())
  logEnd(held, ending, journal.progress)
  return 'done'
}

/** One line for each execution that ends here. */
function logEnd(
  { logger, account, execution, clock, startedAt }: Held,
  { status, reason }: Ending,
  progress: Pick<ProgressRecord, 'visited' | 'rows'> | null = null,
): void {
  const { id, taskId } = execution.value
  logger.info('An execution ended', {
    account,
    execution: id,
    ...(taskId && { task: taskId }),
    status,
    ...(reason && { reason: reason.code }),
    ...(progress && { visited: progress.visited, rows: progress.rows }),
    seconds: Math.round((clock.now() - startedAt) / 100) / 10,
  })
}

/** Returns the job, so that the next worker continues at once, or when a host may be asked again. */
async function putDown(held: Held, rest?: Rest): Promise<JobResult> {
  const stored = rest && storableRest(rest)
  await release(held, held.execution.value.id, held.fence, stored)
  return { again: stored?.resumeAt ?? held.clock.now() }
}

/**
 * Gives an outcome to the URLs that were not visited because of a limit, so that the page report is
 * complete. A site can name millions, and each takes time to write: after the deadline only a few
 * are written.
 */
async function skipRest(
  { records, account, execution, clock, signal, startedAt }: Held,
  { plan, journal }: PreparedRun,
  stop: Stop,
): Promise<'skipped' | 'interrupted'> {
  if (stop === 'exhausted') return 'skipped'
  const deadline = deadlineOf(plan, startedAt) ?? Infinity
  let late = 0
  for (;;) {
    if (signal.aborted) return 'interrupted'
    const rest = await records.frontier.list(account, {
      within: [execution.value.id],
      limit: BATCH,
    })
    if (rest.length === 0) return 'skipped'
    if (clock.now() >= deadline) late += rest.length
    if (late > SKIPPED_LATE) return 'skipped'
    await journal.write({
      outcomes: rest.map(({ value }) => emptyOutcome(value, 'skipped_limit', stopReason(stop))),
    })
  }
}

/**
 * Releases the fence so that another worker can continue at once. Best effort: if it fails, the
 * lease expires.
 */
async function release(
  { records, clock, logger }: AdvanceOptions,
  executionId: string,
  fence: Fence,
  rest?: Rest,
): Promise<void> {
  const change = new Change()
  fence.release(change)
  if (rest)
    records.hostTimings.put(
      change,
      fence.account,
      { execution: executionId, hosts: rest.hosts },
      clock.now() + HOSTS_MS,
    )
  try {
    await records.commit(change)
  } catch (error) {
    logger.warn('A fence could not be released; it expires with its lease', {
      execution: executionId,
      error,
    })
  }
}

type Visit = (entry: FrontierRecord, signal: AbortSignal) => Promise<VisitOutcome>

/**
 * Visits the URLs of the frontier, here and with helpers, until none is left, a limit is reached,
 * the worker must stop, or another account's turn has come.
 *
 * @throws {Overtaken} and any error of the store
 */
async function crawlRun(
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
    documentsOf,
    model,
    lost,
    turn,
    startedAt,
  } = held
  const { plan, recipe, frontier, journal, politeness, cache, egress } = prepared
  const { id, reserved, wanted } = execution.value
  const robots = plan.crawl.robots ? held.robots : null
  const pages = (await held.pagesOf(account)).open(recipe.written)
  const keeper = await openMedia(plan, { ...held, execution: id, robots, politeness })
  const allowance = await Allowance.open({
    ledger,
    clock,
    account,
    execution: id,
    price: highestPrice(prices, mostWork(plan)),
    concurrency: plan.crawl.concurrency,
    progress: () => journal.stored,
  })
  const byteRoom = await ByteRoom.open({ ...held, ownBytes: () => journal.storedBytes })
  const context: Omit<VisitContext, 'signal'> = {
    plan,
    pages,
    egress,
    robots,
    renderer,
    readDocument: documentsOf(account),
    model: modelOf(model, { account, execution: id }),
    clock,
    politeness,
    keeper,
    telemetry: held.telemetry,
  }
  const stored = held.source ?? cache
  const visitHere: Visit = (entry, aborted) =>
    visitStored(entry, stored, { ...context, signal: aborted })
  const coordinator = prepared.shares
    ? await openCoordinator(held, prepared, context, visitHere)
    : null
  const queue =
    coordinator ??
    new LocalQueue({
      frontier,
      politeness,
      clock,
      concurrency: plan.crawl.concurrency,
      isStored: (entry) => stored?.has(entry) === true,
      knownHosts: robots ? prepared.knownHosts : null,
      visit: visitHere,
    })
  const taker = openTaker(keeper, coordinator, {
    limits: held.media.limits,
    share: held.share,
    before: journal.progress.media,
  })
  const visitAnywhere: Visit = async (entry, aborted) =>
    takeMedia(await queue.visit(entry, aborted), plan, taker, aborted)
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
    byteRoom,
    signal,
    queue,
    lost,
    turn,
    visit: visitAnywhere,
    // The reservation was computed with the prices at the start. The run must stay within it at
    // current prices.
    maxCredits: reserved ?? plan.limits.maxCredits,
    deadline: deadlineOf(plan, startedAt),
  })
  const stop = await run.crawl().finally(() => pages.close())
  return {
    // The recipe allows more than was reserved, so its budget was not the limit.
    stop: stop === 'credit_limit' && wanted !== undefined ? 'balance_limit' : stop,
    rest: run.rest(),
  }
}

/** Asks for helpers, and takes over the assignments of an earlier holder's helpers. */
async function openCoordinator(
  { records, blobs, clock, logger, account, execution, fence, stillLeases }: Held,
  { frontier, isNew }: PreparedRun,
  { plan, politeness, keeper }: Omit<VisitContext, 'signal'>,
  visitHere: Visit,
): Promise<Coordinator> {
  const { id } = execution.value
  const assignmentStore = new AssignmentStore({
    records,
    blobs,
    clock,
    account,
    execution: id,
    fence,
  })
  await assignmentStore.open()
  const { concurrency, together, delayMs } = plan.crawl
  const coordinator = new Coordinator({
    assignmentStore,
    frontier,
    politeness,
    clock,
    logger,
    execution: id,
    concurrency,
    together,
    visit: visitHere,
    fetch: fetcherOf(keeper),
    stillLeases,
    firstRequestAt: isNew ? 0 : clock.now() + delayMs,
  })
  await coordinator.takeOver()
  return coordinator
}

/**
 * Returns the page after its media are downloaded. Its rows contain the media items, or the reason
 * for each failure. Rejects only for the signal and for errors of the stores.
 */
async function takeMedia(
  page: VisitOutcome,
  plan: CrawlPlan,
  taker: MediaTaker | null,
  signal: AbortSignal,
): Promise<VisitOutcome> {
  if (!taker || page.rows.length === 0) return page
  const pageUrl = page.finalUrl ?? page.entry.url
  const result = await taker.take(
    page.rows,
    pageUrl,
    plan.media.filter((path) => path !== PICTURE),
    signal,
  )
  if (!page.picture) return { ...page, ...result }
  const { rows, media } = await taker.addPicture(result.rows, page.picture)
  return {
    ...page,
    rows,
    media: {
      items: [...result.media.items, ...media.items],
      fetched: result.media.fetched + media.fetched,
      bytes: result.media.bytes + media.bytes,
    },
  }
}
