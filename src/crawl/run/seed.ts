import { EgressError } from '../../engine/egress/types.ts'
import type { CrawlPlan, StartSearch } from '../../engine/plan/plan.ts'
import { isFailed } from '../../features/executions/records.ts'
import type { Reason, StartList } from '../../features/executions/records.ts'
import type { Held } from '../advance-options.ts'
import type { Compiled } from '../compile-execution.ts'
import type { Journal } from '../commit/journal.ts'
import { readSitemap } from '../../engine/site/sitemap.ts'
import { startLink } from '../../engine/visit/reach.ts'
import { Change } from '../../records/change.ts'
import { retryFailures } from '../../records/retry.ts'
import { Overtaken } from '../commit/fence.ts'
import type { FindStarts, FoundStarts } from '../../features/common/web-access.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundStartsRecord } from '../../features/executions/crawl-records.ts'
import type { Records } from '../../features/records.ts'
import type { Fence } from '../commit/fence.ts'
import { DAY_MS } from '../../kernel/time.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** Start URLs of one commit. */
const BATCH = 500

/** Parts that add start URLs. */
type Seeding = Pick<
  Held,
  | 'records'
  | 'clock'
  | 'logger'
  | 'account'
  | 'execution'
  | 'fence'
  | 'egress'
  | 'robots'
  | 'signal'
  | 'turn'
>

/**
 * Adds the start URLs and the `found` URLs to the frontier. Called again after a crash, it adds
 * only the missing ones. `gave_way`: another account's turn has come.
 */
export async function seed(
  held: Seeding,
  plan: CrawlPlan,
  foundStarts: readonly NormalUrl[],
  journal: Journal,
): Promise<Reason | 'gave_way' | null> {
  if (journal.progress.seeded) return null
  const { signal, logger, execution } = held
  const { failedOf } = execution.value
  if (failedOf !== undefined) return seedFailed(held, failedOf, journal)
  const asSeeds = (urls: readonly NormalUrl[], listedBy?: StartList) =>
    urls.map((url) => ({ ...startLink(url), ...(listedBy && { listedBy }) }))
  // After a stop the rest is left to the next worker. The crawl that follows checks the signal.
  for (let i = 0; i < plan.startUrls.length; i += BATCH) {
    if (signal.aborted) return null
    await journal.write({ seeds: asSeeds(plan.startUrls.slice(i, i + BATCH)) })
  }
  if (foundStarts.length > 0) await journal.write({ seeds: asSeeds(foundStarts, 'search') })
  for (const list of ['sitemap', 'feed'] as const) {
    const url = plan[list]
    try {
      if (url === null) continue
      const end = await readList(held, journal, list, url, plan, async (urls) => {
        for (let i = 0; i < urls.length; i += BATCH)
          await journal.write({ seeds: asSeeds(urls.slice(i, i + BATCH), list) })
      })
      if (end === 'gave_way') return end
      if (end === 'out_of_time') {
        logger.warn(
          'A list of start pages took too long; the execution continues with the part that was read',
          { execution: execution.value.id, list, url },
        )
        if (journal.progress.discovered === 0)
          return {
            code: `${list}_timeout`,
            message: `The ${list} named no page within ${LIST_MS / 60_000} minutes`,
          }
      }
    } catch (error) {
      if (error instanceof EgressError && !signal.aborted)
        return {
          code: `${list}_${error.reason}`,
          message: `The ${list} could not be read: ${error.message}`,
        }
      // A stopped worker leaves the rest of the list to the next one. The crawl that follows checks
      // the signal too.
      if (signal.aborted) return null
      throw error
    }
  }
  await journal.write({ seeded: true })
  return null
}

/**
 * Adds the pages that failed or were blocked in another execution, each as it was found there. As
 * with other start URLs, only the missing ones are added after a crash. A stopped worker leaves the
 * rest to the next one; the crawl that follows checks the signal too. One whose turn is over does
 * so once it has read a part of the receipt, and notes how far: the next one goes on from there.
 */
async function seedFailed(
  { records, account, clock, execution, fence, signal, turn }: Seeding,
  failedOf: string,
  journal: Journal,
): Promise<Reason | 'gave_way' | null> {
  const { id } = execution.value
  const before = await records.receiptReads.get(account, id)
  for (let after = before?.value.seq ?? -1; ;) {
    const visits = await records.visits.list(account, {
      within: [failedOf],
      after: [failedOf, after],
      limit: BATCH,
    })
    const seeds = visits.flatMap(({ value: { url, label, depth, outcome, listedBy, found } }) => {
      const normal = isFailed(outcome) ? normaliseUrl(url) : null
      if (normal === null) return []
      // An earlier version has not kept how a page was found.
      const { hop = 1, ...more } = found ?? {}
      return [{ url: normal, label, depth, hop, ...more, ...(listedBy && { listedBy }) }]
    })
    if (seeds.length > 0) await journal.write({ seeds })
    else if (fence.due(clock.now())) await journal.beat()
    const last = visits.at(-1)
    if (last === undefined) break
    if (signal.aborted) return null
    after = last.value.seq
    if (!turn.over.aborted) continue
    const change = new Change()
    fence.guard(change, clock.now())
    const until = clock.now() + KEPT_MS
    records.receiptReads.put(change, account, { execution: id, seq: after }, until)
    if (!(await records.commit(change))) throw new Overtaken()
    return 'gave_way'
  }
  // An execution is deleted before its receipt is. As long as it exists, the receipt was complete.
  if (!(await records.executions.get(account, failedOf)))
    return {
      code: 'report_not_kept',
      message: `The page report of execution ${failedOf} is no longer kept`,
    }
  await journal.write({ seeded: true })
  return null
}

/** Longest time to read one list of start pages, in ms. */
const LIST_MS = 10 * 60_000
/** How long the cursor of a suspended list is stored, in ms. */
const KEPT_MS = DAY_MS

/**
 * How reading a list ended: at its end or a limit, out of time, or because another account's turn
 * had come.
 */
type ListEnd = 'read' | 'out_of_time' | 'gave_way'

/**
 * Reads a sitemap or a feed for an execution, from the stored cursor, and passes its URLs to `add`.
 *
 * @throws {Overtaken}
 * @throws {EgressError} if the first file cannot be read
 */
async function readList(
  held: Seeding,
  journal: Journal,
  list: StartList,
  url: NormalUrl,
  plan: CrawlPlan,
  add: (urls: readonly NormalUrl[]) => Promise<void>,
): Promise<ListEnd> {
  const { records, clock, logger, account, execution, fence, egress, robots, signal, turn } = held
  const { id } = execution.value
  const before = (await records.listReads.get(account, id, list))?.value
  const read = new Set(before?.read)
  const began = clock.now() - (before?.spentMs ?? 0)
  const enough = new AbortController()
  const ended = new AbortController()
  clock.sleep(began + LIST_MS - clock.now(), ended.signal).then(
    () => enough.abort(),
    () => {},
  )
  try {
    const onRead = async (file: string, isIndex: boolean): Promise<void> => {
      // An index is not marked as read: only reading it again gives the files it names.
      if (!isIndex) read.add(file)
      if (fence.due(clock.now())) await journal.beat()
    }
    const isOver = (): boolean => turn.over.aborted && read.size > (before?.read.length ?? 0)
    for await (const urls of readSitemap(url, {
      egress,
      robots: plan.crawl.robots ? robots : null,
      signal,
      maxUrls: plan.limits.maxPages,
      enough: enough.signal,
      isOver,
      skip: new Set(before?.read),
      onRead,
      onCut: (file, what) =>
        logger.warn('The rest of a list of start pages is not read', {
          execution: id,
          list,
          url: file,
          found: what,
        }),
    }))
      await add(urls)
    if (enough.signal.aborted) return 'out_of_time'
    if (!isOver()) return 'read'
    const change = new Change()
    fence.guard(change, clock.now())
    records.listReads.put(
      change,
      account,
      { execution: id, list, read: [...read], spentMs: clock.now() - began },
      clock.now() + KEPT_MS,
    )
    if (!(await records.commit(change))) throw new Overtaken()
    return 'gave_way'
  } finally {
    ended.abort()
  }
}

/** Requests to the search service before the execution fails. */
const TRIES = 3
const FIRST_RETRY_MS = 1_000
/** Longest pause that the service may ask for, in ms; with a longer one the search fails. */
const MAX_WAIT_MS = 60_000

/** The plan with the URLs of its search, or the reason why there is no URL to start at. */
export interface Starts {
  readonly compiled: Compiled | Reason
  readonly found: readonly NormalUrl[]
}

interface SearchStartsOptions {
  readonly records: Records
  readonly clock: Clock
  readonly findStarts: FindStarts
  /** Compiles the execution's recipe with the URLs that the search found. */
  readonly compile: (foundStarts: readonly NormalUrl[]) => Promise<Compiled | Reason>
  readonly leaseMs: number
  readonly account: string
  readonly execution: string
  /** The execution whose failed pages this one visits: it takes the results of that search. */
  readonly failedOf: string | undefined
  readonly fence: Fence
  readonly signal: AbortSignal
}

/**
 * Makes the search that an execution starts from, once. Its URLs are stored before the first page
 * is visited. So after a crash, or with another worker, the execution continues with the same URLs,
 * even if the search would now find others.
 *
 * @throws {Overtaken} and the signal's reason
 */
export async function searchStarts(
  options: SearchStartsOptions,
  search: StartSearch,
): Promise<Starts> {
  const results = await searchOnce(options, search)
  if ('code' in results) return { compiled: results, found: [] }
  const { urls: foundStarts, source } = results
  const compiled = await options.compile(foundStarts)
  const goesOn = foundStarts.length > 0 || 'code' in compiled || namesStarts(compiled.plan)
  return {
    compiled: goesOn
      ? compiled
      : { code: 'search_empty', message: `The search (${source}) found no page to start from` },
    found: foundStarts,
  }
}

/** True if a recipe names a start besides its search. */
function namesStarts({ startUrls, sitemap, feed }: CrawlPlan): boolean {
  return startUrls.length > 0 || sitemap !== null || feed !== null
}

async function searchOnce(
  options: SearchStartsOptions,
  search: StartSearch,
): Promise<FoundStartsRecord | Reason> {
  const { records, clock, account, execution, fence } = options
  const earlier = await records.foundStarts.get(account, execution)
  if (earlier) return earlier.value
  const result = (await resultsOf(options)) ?? (await ask(options, search))
  if ('code' in result) return result
  const record: FoundStartsRecord = {
    execution,
    source: result.source,
    urls: result.urls,
    at: clock.now(),
  }
  const stored = await retryFailures(clock, async () => {
    const change = new Change()
    records.foundStarts.requireAbsent(change, account, execution)
    records.foundStarts.put(change, account, record)
    fence.guard(change, clock.now())
    if (await records.commit(change)) return record
    // The answer to an earlier attempt's commit may have been lost.
    return (await fence.holds()) ? (await records.foundStarts.get(account, execution))?.value : null
  })
  if (!stored) throw new Overtaken()
  return stored
}

/** The results of the search of an earlier execution, whose failed pages this one visits. */
async function resultsOf({
  records,
  account,
  failedOf,
}: SearchStartsOptions): Promise<FoundStarts | null> {
  if (failedOf === undefined) return null
  return (await records.foundStarts.get(account, failedOf))?.value ?? null
}

async function ask(
  options: SearchStartsOptions,
  search: StartSearch,
): Promise<FoundStarts | Reason> {
  const { findStarts, account, signal } = options
  for (let attempt = 1; ; attempt++) {
    try {
      return await findStarts(account, search, signal)
    } catch (error) {
      if (!(error instanceof SearchFailure)) throw error
      const wait =
        error.retryAfter === null ? FIRST_RETRY_MS * 2 ** (attempt - 1) : error.retryAfter * 1_000
      if (error.reason === 'refused' || attempt === TRIES || wait > MAX_WAIT_MS)
        return {
          code: `search_${error.reason}`,
          message: `The search failed: ${error.message}`,
        }
      await pause(options, wait)
    }
  }
}

/** Waits, and renews the fence's lease meanwhile. */
async function pause(
  { records, clock, leaseMs, fence, signal }: SearchStartsOptions,
  ms: number,
): Promise<void> {
  const until = clock.now() + ms
  for (let now = clock.now(); now < until; now = clock.now()) {
    await clock.sleep(Math.min(until - now, leaseMs / 3), signal)
    const change = new Change()
    fence.guard(change, clock.now())
    if (!(await records.commit(change))) throw new Overtaken()
  }
}
