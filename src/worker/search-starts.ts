import type { Plan, StartSearch } from '../engine/plan/plan.ts'
import type { FindStarts, FoundStarts } from '../features/common/find-starts.ts'
import { SearchFailure } from '../kernel/failures.ts'
import type { Clock } from '../ports/clock.ts'
import { Change } from '../records/change.ts'
import type { FoundStartsRecord } from '../records/found-start-records.ts'
import type { Records } from '../records/records.ts'
import type { Reason } from '../records/types.ts'
import type { Fence } from './fence.ts'
import { Overtaken } from './overtaken.ts'

/** Times that the search service is asked before the execution fails. */
const TRIES = 3
const FIRST_RETRY_MS = 1_000
/** A service that wants a longer pause is not waited for. */
const MAX_WAIT_MS = 60_000
const COMMIT_TRIES = 3

/** What {@link searchStarts} needs. */
export interface SearchStartsOptions {
  readonly records: Records
  readonly clock: Clock
  readonly findStarts: FindStarts
  /** Compiles the execution's recipe with what was found. */
  readonly compile: (found: readonly string[]) => Plan | Reason
  readonly leaseMs: number
  readonly account: string
  readonly execution: string
  readonly fence: Fence
  readonly signal: AbortSignal
}

/**
 * Makes the search that an execution starts from, once: what it has found is written before the
 * first page is visited, so that after a crash, or with another worker, the execution goes on with
 * the same, whatever the search would find by then. A plan that is a reason: there is nowhere to
 * start.
 *
 * @throws {Overtaken} and whatever the signal throws
 */
export async function searchStarts(
  options: SearchStartsOptions,
  search: StartSearch,
): Promise<{ readonly plan: Plan | Reason; readonly found: readonly string[] }> {
  const made = await searchOnce(options, search)
  if ('code' in made) return { plan: made, found: [] }
  const { urls: found, source } = made
  const plan = options.compile(found)
  const goesOn =
    found.length > 0 ||
    !('process' in plan) ||
    plan.startUrls.length > 0 ||
    plan.sitemap !== null ||
    plan.feed !== null
  return {
    plan: goesOn
      ? plan
      : { code: 'search_empty', message: `The search (${source}) found no page to start from` },
    found,
  }
}

async function searchOnce(
  options: SearchStartsOptions,
  search: StartSearch,
): Promise<FoundStartsRecord | Reason> {
  const { records, clock, account, execution, fence } = options
  const known = await records.foundStarts.get(account, execution)
  if (known) return known.value
  const found = await ask(options, search)
  if ('code' in found) return found
  const record: FoundStartsRecord = {
    execution,
    source: found.source,
    urls: found.urls,
    at: clock.now(),
  }
  for (let attempt = 1; ; attempt++) {
    const change = new Change()
    records.foundStarts.requireAbsent(change, account, execution)
    records.foundStarts.put(change, account, record)
    fence.guard(change, clock.now())
    try {
      if (await records.commit(change)) return record
    } catch (error) {
      if (attempt === COMMIT_TRIES) throw error
    }
    if (!(await fence.holds())) throw new Overtaken()
    // The answer to a commit may have been lost.
    const written = await records.foundStarts.get(account, execution)
    if (written) return written.value
    if (attempt === COMMIT_TRIES) throw new Overtaken()
  }
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
          message: `The search could not be made: ${error.message}`,
        }
      await pause(options, wait)
    }
  }
}

/** Waits, and shows meanwhile that the holder is alive. */
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
