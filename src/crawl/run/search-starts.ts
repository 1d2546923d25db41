import type { CrawlPlan, StartSearch } from '../../engine/plan/plan.ts'
import type { Reason } from '../../features/executions/records.ts'
import type { Compiled } from '../compile-execution.ts'
import { Change } from '../../records/change.ts'
import { retryFailures } from '../../records/retry.ts'
import { Overtaken } from '../commit/fence.ts'
import type { FindStarts, FoundStarts } from '../../features/common/web-access.ts'
import { SearchFailure } from '../../kernel/failures.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundStartsRecord } from '../../features/executions/crawl-records.ts'
import type { Records } from '../../features/records.ts'
import type { Fence } from '../commit/fence.ts'
import type { NormalUrl } from '../../kernel/url.ts'

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
