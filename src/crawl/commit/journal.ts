import type { PriceTable } from '../../kernel/price.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { linksFrom } from '../../engine/visit/reach.ts'
import type { Ledger } from '../../features/ledger/ledger.ts'
import { bytesOf, countStored } from '../../features/limits/stored-bytes.ts'
import { startOfMonth } from '../../features/common/time.ts'
import { countPages } from '../../features/common/usage.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Clock } from '../../ports/clock.ts'
import type { FoundLink } from '../../ports/page-processor.ts'
import { rowKeys, segmentOf } from './rows.ts'
import type { SegmentBytes } from './rows.ts'
import { Change } from '../../records/change.ts'
import { SYSTEM } from '../../records/collection.ts'
import type { Stored } from '../../records/collection.ts'
import { retryFailures } from '../../records/retry.ts'
import type { PaidPage, PeriodRecord } from '../../features/ledger/records.ts'
import { HISTORY_MS, rowsFolder } from '../../features/executions/records.ts'
import { dropPut } from '../../features/media/puts.ts'
import { mediaBlob } from '../../features/media/records.ts'
import type { MediaDeletionRecord, MediaRecord } from '../../features/media/records.ts'
import type { Records } from '../../features/records.ts'
import type { Caller, ProgressRecord, VisitRecord } from '../../features/executions/records.ts'
import type { Fence } from './fence.ts'
import { seenIdentities } from './frontier.ts'
import type { Frontier } from './frontier.ts'
import { addArchived, archivePages } from '../archive/archive-pages.ts'
import type { ArchivePolicy } from '../archive/archive-pages.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import { Overtaken } from './fence.ts'
import { removePageBlobs } from '../shared/large-pages.ts'
import { RowClaims } from './row-claims.ts'
import { withLastingBytes } from '../media/put-media.ts'
import { putSwept, requestSweepIfFinished } from './late-sweep.ts'
import { commitGroups, endOfBatch, startOfLast } from './commit-groups.ts'
import { judgeScope, mentionedUrls, refusedLanding, settle } from './settle.ts'
import type { Discovery, SettledGroup } from './settle.ts'

/** Maximum number of links of a page that are added when no more links will be visited. */
const LATE_LINKS = 500

/** A URL that comes from no page: a start URL, or one from a list or a search. */
export type Seed = Discovery

export interface JournalOptions {
  readonly records: Records
  readonly blobs: Blobs
  readonly clock: Clock
  readonly account: string
  readonly taskId: string | null
  /** The caller to whom its usage is attributed. Absent: not known. */
  readonly startedBy: Caller | undefined
  /**
   * Returns the number of bytes that rows will add to the execution's dataset. `null`: it has no
   * dataset.
   */
  readonly weigh: ((rows: SettledGroup['rows']) => Promise<number>) | null
  readonly plan: CrawlPlan
  readonly ledger: Ledger
  readonly prices: PriceTable
  readonly fence: Fence
  readonly frontier: Frontier
  readonly progress: Stored<ProgressRecord>
  /** Maximum number of bytes of archived pages. */
  readonly keepBytes: number
  readonly cache: ArchivePolicy['cache']
  /** Called with the visits of each commit, after it. */
  readonly onSettled: (visits: readonly VisitRecord[]) => void
}

/** The writes of one call. */
export interface JournalEntry {
  readonly outcomes?: readonly VisitOutcome[]
  readonly seeds?: readonly Seed[]
  /** True if no more seeds will come. Default: unchanged. */
  readonly seeded?: boolean
  /**
   * Returns true if no more links will be visited. Then only the first few links of a page are
   * added, because pages can have 10,000 each.
   */
  readonly isLate?: () => boolean
}

/**
 * Writes a run's outcomes. Each group is one atomic commit of receipt, frontier, rows and counters.
 * A commit depends on the fence and on the counters from which it was computed, so it cannot apply
 * twice or late.
 */
export class Journal {
  readonly #options: JournalOptions
  #progress: Stored<ProgressRecord>
  readonly #claims: RowClaims
  readonly #pace = new Pace()
  readonly #archivePolicy: ArchivePolicy
  #commits = 0
  #mediaBytes = 0

  constructor(options: JournalOptions) {
    this.#options = options
    this.#progress = options.progress
    this.#claims = new RowClaims({ ...options, execution: options.progress.value.execution })
    const { plan, cache, keepBytes } = options
    this.#archivePolicy = { keeps: plan.keeps, cache, maxBytes: keepBytes }
  }

  /** Counters as of the last commit. */
  get progress(): ProgressRecord {
    return this.#progress.value
  }

  /**
   * Bytes that the run has stored: its rows and kept pages, what its rows will add to a dataset,
   * and the media that this journal was the first to store. Only the difference between two
   * readings is meaningful.
   */
  get storedBytes(): number {
    return bytesOf(this.progress) + this.#mediaBytes
  }

  /** Counters as of the last commit, with the record's version. */
  get stored(): Stored<ProgressRecord> {
    return this.#progress
  }

  /**
   * Commits outcomes and seeds. A page with very many links takes several commits, and the page
   * itself is part of the last one. A crash in between is harmless: a link that is written again is
   * not added again.
   *
   * @throws {Overtaken}
   */
  async write({
    outcomes = [],
    seeds = [],
    seeded = this.progress.seeded,
    isLate = () => false,
  }: JournalEntry): Promise<void> {
    let lateLinks = LATE_LINKS
    const groups = commitGroups(outcomes)
    for (const [index, group] of groups.entries()) {
      const short: VisitOutcome[] = []
      for (const page of group) {
        const left = await this.#writeEarly(page, isLate)
        const isOver = isLate()
        const links = isOver ? left.slice(0, lateLinks) : left
        if (isOver) lateLinks -= links.length
        short.push({ ...page, links })
      }
      if (index < groups.length - 1) {
        await this.#settle(short, [], this.progress.seeded)
        await this.#pace.step()
      } else return this.#settle(short, seeds, seeded)
    }
    return this.#settle([], seeds, seeded)
  }

  /**
   * Commits links of a page that has many, in commits of bounded size. Returns the links that are
   * left for the page's own commit.
   */
  async #writeEarly(page: VisitOutcome, isLate: () => boolean): Promise<readonly FoundLink[]> {
    const { plan, frontier } = this.#options
    const early = startOfLast(page.links)
    if (early === 0) return page.links
    const identities = seenIdentities()
    let landing: string | null = null
    if (page.finalUrl !== null) {
      // The final URL of a redirected page is left out here. Only the page's own commit may mark it
      // as seen.
      landing = identities.ofLanding(page.finalUrl)
      const isUnseen = (await frontier.unseen([landing])).has(landing)
      const { inScope } = plan
      if (refusedLanding(page, { inScope, identities, meet: () => isUnseen }) !== null) return []
    }
    for (let start = 0; start < early && !isLate();) {
      const end = endOfBatch(page.links, start, early)
      const links = linksFrom(plan, page.entry.url, page.links.slice(start, end))
      await this.#settle([], links, this.progress.seeded, landing)
      await this.#pace.step()
      start = end
    }
    return page.links.slice(early)
  }

  async #settle(
    outcomes: readonly VisitOutcome[],
    seeds: readonly Seed[],
    seeded: boolean,
    /** The identity of a URL that must not be added. */
    except: string | null = null,
  ): Promise<void> {
    const { account, plan, frontier, clock, ledger, prices } = this.#options
    const identities = seenIdentities()
    const keys = await rowKeys(outcomes, plan.unique)
    const [unseenUrls, unseenRows] = await Promise.all([
      frontier.unseen(mentionedUrls(outcomes, seeds, identities)),
      this.#claims.unseen(keys.values()),
    ])
    if (except !== null) unseenUrls.delete(except)
    const inScope = await judgeScope(
      plan,
      outcomes,
      seeds,
      (url) => unseenUrls.has(identities.ofLink(url)),
      this.#pace,
    )
    const whole = settle(
      plan,
      this.progress,
      outcomes,
      seeds,
      { unseenUrls, unseenRows, keys, identities, inScope },
      prices,
      clock.now(),
    )
    const mergeBytes =
      (this.progress.mergeBytes ?? 0) + ((await this.#options.weigh?.(whole.rows)) ?? 0)
    const settled = {
      ...whole,
      progress: { ...whole.progress, ...(mergeBytes > 0 && { mergeBytes }) },
      rowKeys: await this.#claims.claim(
        whole.rowKeys,
        `${this.#options.fence.holder}:claims:${++this.#commits}`,
        (change) => this.#guard(change),
      ),
    }
    const paid = settled.visits.flatMap(({ seq, outcome, credits }): PaidPage[] =>
      credits === 0 ? [] : [[seq, outcome, credits]],
    )
    // If the month is closed meanwhile, the same outcomes are charged to the next month. If another
    // run has added the same media, they are not added again.
    for (let isWritten = false; !isWritten;) {
      const period = paid.length === 0 ? null : await ledger.period(account, clock.now())
      const dated = period ? datedIn(period.value.open, settled) : settled
      isWritten = await this.#write(outcomes, dated, seeded, paid, period)
    }
    if (settled.visits.length > 0) this.#options.onSettled(settled.visits)
    // Nothing waits for this deletion, because an object store may take long.
    void removePageBlobs(
      this.#options.blobs,
      outcomes.flatMap(({ assignment }) => assignment ?? []),
    )
    frontier.met(settled.urls)
    await frontier.added(settled.added)
  }

  /** Returns `false` if nothing was written and the commit must be made again. */
  async #write(
    outcomes: readonly VisitOutcome[],
    settled: SettledGroup,
    seeded: boolean,
    paid: readonly PaidPage[],
    period: Stored<PeriodRecord> | null,
  ): Promise<boolean> {
    const { records, account, taskId, startedBy, cache, ledger, fence } = this.#options
    const { execution, settled: index } = this.progress
    const commit = `${fence.holder}:${++this.#commits}`
    const change = new Change()
    this.#guard(change)
    const archived = archivePages(
      outcomes,
      settled.visits,
      this.#archivePolicy,
      this.progress,
      commit,
    )
    const segment =
      settled.rows.length === 0 ? null : await segmentOf(settled.rows, settled.provenance)
    const rowBytes = (this.progress.rowBytes ?? 0) + (segment?.bytes.length ?? 0)
    const progress = {
      ...settled.progress,
      seeded,
      commit,
      ...(rowBytes > 0 && { rowBytes }),
      ...archived?.counts,
    }
    records.progress.put(
      change,
      account,
      countStored(records, change, account, this.progress, progress),
    )
    this.#addRecords(change, settled)
    this.#endAssignments(change, outcomes)
    countPages(records, change, account, settled.visits, startedBy)
    // The blob has a fresh name, so a commit that fails leaves only an unused blob behind.
    if (segment) await this.#addSegment(change, commit, settled.rows.length, segment)
    if (archived)
      await addArchived(change, archived, {
        ...this.#options,
        execution,
        maxAgeMs: cache?.maxAgeMs ?? 0,
      })
    const added =
      settled.media.length > 0 ? await this.#addMedia(change, settled.media) : NOTHING_ADDED
    const [first] = settled.visits
    if (period && first)
      ledger.settle(change, account, period, { id: execution, taskId }, index, paid, first.at)
    const isWritten = await this.#commit(change, commit, period, added)
    if (isWritten) this.#mediaBytes += sumOf(added.items)
    return isWritten
  }

  /** Adds the preconditions of a commit: the fence, and the progress after the last commit. */
  #guard(change: Change): void {
    const { records, account, fence, clock } = this.#options
    fence.guard(change, clock.now())
    records.progress.require(change, account, this.#progress)
  }

  /**
   * Renews the fence's lease while there is nothing else to write.
   *
   * @throws {Overtaken}
   */
  async beat(): Promise<void> {
    const change = new Change()
    this.#options.fence.guard(change, this.#options.clock.now())
    if (!(await this.#options.records.commit(change))) throw new Overtaken()
  }

  #addRecords(change: Change, settled: SettledGroup): void {
    const { records, account, fence, clock } = this.#options
    const { execution, settled: index } = this.progress
    for (const visit of settled.visits) records.visits.put(change, account, visit)
    // One small record for all visits of the commit. A watcher finds new visits there without
    // reading the whole receipt.
    if (settled.visits.length > 0)
      records.settled.put(
        change,
        account,
        { execution, index, move: fence.since, seqs: settled.visits.map(({ seq }) => seq) },
        clock.now() + HISTORY_MS,
      )
    for (const seq of settled.done) records.frontier.drop(change, account, execution, seq)
    for (const entry of settled.added) records.frontier.put(change, account, entry)
    for (const identity of settled.urls)
      records.seenUrls.put(change, account, { execution, identity })
    for (const identity of settled.rowKeys)
      records.seenRows.put(change, account, { execution, identity })
  }

  /** Deletes the assignments and reports of pages that helpers visited. */
  #endAssignments(change: Change, outcomes: readonly VisitOutcome[]): void {
    const { records, account } = this.#options
    const { execution } = this.progress
    for (const { assignment } of outcomes) {
      if (!assignment) continue
      records.assignments.drop(change, account, execution, assignment.membership, assignment.number)
      records.reports.drop(change, account, execution, assignment.membership, assignment.report)
    }
  }

  async #addSegment(
    change: Change,
    commit: string,
    count: number,
    { bytes, provenance }: SegmentBytes,
  ): Promise<void> {
    const { records, account } = this.#options
    const { execution, segments, rows: offset } = this.progress
    const blob = `${rowsFolder(execution)}${commit.replace(':', '-')}.jsonl`
    await putSwept({ ...this.#options, execution }, { name: blob, bytes })
    records.segments.put(change, account, {
      execution,
      index: segments,
      blob,
      rows: count,
      offset,
      provenance,
    })
  }

  /**
   * Adds records of media. The blobs are already written, named by their content. An item that is
   * already stored keeps its record.
   */
  async #addMedia(change: Change, items: readonly MediaRecord[]): Promise<AddedMedia> {
    const { records, account } = this.#options
    const { execution } = this.progress
    const stored = await records.media.getMany(account, idsOf(items))
    const absent = items.filter((_, index) => !stored[index])
    const deletions = await records.mediaDeletions.getMany(account, idsOf(absent))
    const added = await withLastingBytes(this.#options, execution, absent, deletions)
    // Another run may be adding the same item. Only the commit that writes its record counts its
    // bytes.
    for (const [index, item] of added.entries()) {
      const deleted = deletions[index]
      if (deleted) records.mediaDeletions.require(change, account, deleted)
      else records.mediaDeletions.requireAbsent(change, account, item.id)
      records.media.requireAbsent(change, account, item.id)
      records.media.put(change, account, { ...item, counted: true })
      records.mediaTimes.put(change, account, { firstSeenAt: item.firstSeenAt, id: item.id })
    }
    // The bytes of a note that stays are erased after the end.
    const named = items.filter((item, index) => {
      const own = stored[index]
      return own && mediaBlob(own.value) === mediaBlob(item)
    })
    for (const item of [...added, ...named])
      dropPut(records, change, account, { ...item, execution })
    records.storedBytes.add(change, account, sumOf(added))
    const [first] = added
    if (first) records.mediaOwners.put(change, SYSTEM, { owner: first.owner, account })
    return { items: added, deletions }
  }

  /**
   * Commits, and again if the store fails: the preconditions keep the commit from applying twice,
   * and the stored progress shows whether it has applied.
   */
  async #commit(
    change: Change,
    commit: string,
    period: Stored<PeriodRecord> | null,
    added: AddedMedia,
  ): Promise<boolean> {
    const { records, account, clock } = this.#options
    const outcome = await retryFailures(clock, async () => {
      const isWritten = await records.commit(change)
      const now = await records.progress.get(account, this.progress.execution)
      if (now?.value.commit === commit) {
        this.#progress = now
        return 'written'
      }
      return !isWritten && (await this.#mayRepeat(period, added)) ? 'repeat' : 'overtaken'
    })
    if (outcome === 'overtaken') {
      // Another worker may have taken over and ended the execution.
      await requestSweepIfFinished({ ...this.#options, execution: this.progress.execution })
      throw new Overtaken()
    }
    return outcome === 'written'
  }

  /**
   * True if the commit was refused only because the month had ended, or because the same media were
   * added by another run or deleted.
   */
  async #mayRepeat(period: Stored<PeriodRecord> | null, added: AddedMedia): Promise<boolean> {
    const { records, account, fence } = this.#options
    const ids = idsOf(added.items)
    const [now, media, deletions, progress, isOurs] = await Promise.all([
      period && records.periods.get(account),
      records.media.getMany(account, ids),
      records.mediaDeletions.getMany(account, ids),
      records.progress.get(account, this.progress.execution),
      fence.holds(),
    ])
    const isStale =
      now?.version !== period?.version ||
      media.some((item) => item !== null) ||
      deletions.some((deleted, index) => deleted?.version !== added.deletions[index]?.version)
    return isStale && progress?.version === this.#progress.version && isOurs
  }
}

/**
 * Dates visits within the month that they are charged to, so that a day's counters, visits and
 * entries agree. The dates change only if a month has ended since the visits were settled.
 */
function datedIn(month: string, settled: SettledGroup): SettledGroup {
  const start = startOfMonth(month)
  if (settled.visits.every(({ at }) => at >= start)) return settled
  return {
    ...settled,
    visits: settled.visits.map((visit) => ({ ...visit, at: Math.max(visit.at, start) })),
  }
}

/** Items that a commit adds, and the deletions of their content as it has seen them. */
interface AddedMedia {
  readonly items: readonly MediaRecord[]
  readonly deletions: readonly (Stored<MediaDeletionRecord> | null)[]
}

const NOTHING_ADDED: AddedMedia = { items: [], deletions: [] }

function idsOf(items: readonly MediaRecord[]): readonly (readonly [string])[] {
  return items.map(({ id }) => [id])
}

function sumOf(items: readonly MediaRecord[]): number {
  return items.reduce((sum, { bytes }) => sum + bytes, 0)
}
