import { EgressError } from '../../engine/egress/types.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { isFailed } from '../../features/executions/records.ts'
import type { Reason, StartList } from '../../features/executions/records.ts'
import type { Held } from '../advance-options.ts'
import type { Journal } from '../commit/journal.ts'
import { readSitemap } from '../../engine/site/sitemap.ts'
import { startLink } from '../../engine/visit/reach.ts'
import { Change } from '../../records/change.ts'
import { Overtaken } from '../commit/fence.ts'
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
 * Adds the pages that failed or were blocked in another execution, with the way each was found
 * there. After a crash, only the missing ones are added, as with other start URLs. A stopped worker
 * leaves the rest to the next one; the crawl that follows checks the signal too. If the execution's
 * turn is over, it first reads a part of the receipt and stores the position, where the next turn
 * continues.
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
      // An earlier version did not store how a page was found.
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
  // An execution is deleted before its receipt is. If it still exists now, the receipt was
  // complete.
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
      // An index is not marked as read, because the names of its files come only from reading it
      // again.
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
