import { priceOf } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { Row } from '../../kernel/json.ts'
import type { Pace } from '../../kernel/pace.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { linksFrom, refuseLanding, refuseLink } from '../../engine/visit/reach.ts'
import type { Refused, RunUrls, UrlIdentities } from '../../engine/visit/reach.ts'
import type { MediaRecord } from '../../features/media/records.ts'
import { isFailed } from '../../features/executions/records.ts'
import { visitBytes } from '../../features/executions/page-visit.ts'
import type {
  FoundAs,
  FrontierRecord,
  ProgressRecord,
  VisitRecord,
} from '../../features/executions/records.ts'
import { chosenRuns } from '../../engine/extract/source-trace.ts'
import type { PageProvenance } from '../../features/common/provenance.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import type { RowKeys } from './rows.ts'
import { ProgressTally } from './progress-tally.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** A URL that a commit adds: to the frontier, or to the receipt if it will not be visited. */
export type Discovery = Omit<FrontierRecord, 'execution' | 'seq'>

/** All changes of one commit, computed before anything is written. */
export interface SettledGroup {
  readonly visits: readonly VisitRecord[]
  /** `seq` of frontier entries that now have their outcome. */
  readonly done: readonly number[]
  readonly added: readonly FrontierRecord[]
  readonly urls: readonly string[]
  /** Keys of new rows, for recipes whose rows must be unique. */
  readonly rowKeys: readonly string[]
  /** `[seq, row]`, in the order of discovery. */
  readonly rows: readonly (readonly [number, Row])[]
  /** The provenance of `rows`, by page. */
  readonly provenance: readonly PageProvenance[]
  /** Media that the rows refer to, each once. */
  readonly media: readonly MediaRecord[]
  readonly progress: ProgressRecord
}

/** Facts from the store and from earlier commits that a group of outcomes depends on. */
interface GroupFacts {
  /** URL identities in this group that the execution has not seen. */
  readonly unseenUrls: ReadonlySet<string>
  readonly unseenRows: ReadonlySet<string>
  /** Keys of rows that must be unique. */
  readonly keys: RowKeys
  /** This may be called more than once for the same link. */
  readonly identities: UrlIdentities
  /** True if the run may visit a URL. */
  readonly inScope: CrawlPlan['inScope']
}

/**
 * Yields all URL identities that {@link settle} needs for these outcomes. The identity of a long
 * URL takes a tenth of a millisecond to compute, so `identities` remembers it.
 */
export function* mentionedUrls(
  outcomes: readonly VisitOutcome[],
  discoveries: readonly Discovery[],
  identities: UrlIdentities,
): Generator<string> {
  for (const { finalUrl, links } of outcomes) {
    if (finalUrl !== null) yield identities.ofLanding(finalUrl)
    for (const link of links) yield identities.ofLink(link.url)
  }
  for (const { url } of discoveries) yield identities.ofLink(url)
}

/**
 * Judges the new URLs of a group in slices: a recipe may have many globs, and a page many long
 * links.
 */
export async function judgeScope(
  plan: CrawlPlan,
  outcomes: readonly VisitOutcome[],
  discoveries: readonly Discovery[],
  isNew: (url: NormalUrl) => boolean,
  pace: Pace,
): Promise<CrawlPlan['inScope']> {
  const judged = new Map<string, boolean>()
  for (const batch of [discoveries, ...outcomes.map(({ links }) => links)]) {
    for (const { url, depth } of batch) {
      if (depth === 0 || judged.has(url) || !isNew(url)) continue
      judged.set(url, plan.inScope(url))
      const rest = pace.step()
      if (rest) await rest
    }
  }
  return (url) => judged.get(url) ?? plan.inScope(url)
}

/**
 * Computes one commit. Pure: the same outcomes on the same progress give the same result. The
 * outcomes must be in the order of `seq`.
 */
export function settle(
  plan: CrawlPlan,
  before: ProgressRecord,
  outcomes: readonly VisitOutcome[],
  discoveries: readonly Discovery[],
  groupFacts: GroupFacts,
  prices: PriceTable,
  now: number,
): SettledGroup {
  const { execution } = before
  const { identities } = groupFacts
  const unseenUrls = new Set(groupFacts.unseenUrls)
  const unseenRows = new Set(groupFacts.unseenRows)
  const visits: VisitRecord[] = []
  const done: number[] = []
  const added: FrontierRecord[] = []
  const urls: string[] = []
  const rowKeys: string[] = []
  const rows: (readonly [number, Row])[] = []
  const provenance: PageProvenance[] = []
  const media = new Map<string, MediaRecord>()
  const tally = new ProgressTally(before)

  const meet = (identity: string): boolean => {
    if (!unseenUrls.delete(identity)) return false
    urls.push(identity)
    return true
  }
  const discover = (discovery: Discovery): void => {
    if (!meet(identities.ofLink(discovery.url))) return
    const entry: FrontierRecord = {
      execution,
      seq: tally.discovered++,
      url: discovery.url,
      label: discovery.label,
      depth: discovery.depth,
      hop: discovery.hop,
      ...(discovery.foundOn !== undefined && { foundOn: discovery.foundOn }),
      ...(discovery.carried && { carried: discovery.carried }),
      ...(discovery.listedBy && { listedBy: discovery.listedBy }),
    }
    tally.labels.countUrl(entry.label, entry.hop)
    const refusal = refuseLink(entry, plan.limits, groupFacts.inScope)
    if (refusal) record(emptyOutcome(entry, refusal.outcome, refusal.reason), 0)
    else added.push(entry)
  }
  const record = (page: VisitOutcome, rowCount: number): void => {
    const credits = priceOf(page.outcome, prices, page)
    const { entry } = page
    const visit: VisitRecord = {
      execution,
      seq: entry.seq,
      url: entry.url,
      finalUrl: page.finalUrl,
      label: entry.label,
      depth: entry.depth,
      outcome: page.outcome,
      reason: page.reason,
      httpStatus: page.httpStatus,
      rows: rowCount,
      bytes: page.bytes,
      durationMs: page.durationMs,
      credits,
      at: now,
      ...(entry.listedBy && { listedBy: entry.listedBy }),
      ...(page.trail && { trail: page.trail }),
      ...(isFailed(page.outcome) && { found: foundAs(entry) }),
    }
    visits.push(visit)
    tally.add(page, rowCount, credits, visitBytes(visit))
  }

  for (const outcome of outcomes) {
    done.push(outcome.entry.seq)
    const page = landed({ ...groupFacts, meet }, outcome)
    const fresh: number[] = []
    for (const [index, row] of page.rows.entries()) {
      if (plan.unique) {
        const key = groupFacts.keys.get(row)
        if (key === undefined || !unseenRows.delete(key)) continue
        rowKeys.push(key)
      }
      rows.push([page.entry.seq, row])
      fresh.push(index)
    }
    if (fresh.length > 0) provenance.push(provenanceOf(page, fresh))
    record(page, fresh.length)
    for (const item of page.media.items) media.set(item.id, item)
    for (const link of linksFrom(plan, page.entry.url, page.links)) discover(link)
  }
  for (const discovery of discoveries) discover(discovery)
  return {
    visits,
    done,
    added,
    urls,
    rowKeys,
    rows,
    provenance,
    media: [...media.values()],
    progress: tally.progress(rows.length, visits.length),
  }
}

/** The parts of a frontier entry that are needed to visit its page again. */
function foundAs({ hop, foundOn, carried }: FrontierRecord): FoundAs {
  return {
    hop,
    ...(foundOn !== undefined && { foundOn }),
    ...(carried && { carried }),
  }
}

/** The provenance of some rows of a page. */
function provenanceOf(
  { entry, fetchedAt, digest, sources, rows: all }: VisitOutcome,
  rows: readonly number[],
): PageProvenance {
  return {
    seq: entry.seq,
    fetchedAt: fetchedAt ?? null,
    digest: digest ?? null,
    sources:
      sources === undefined
        ? [['', rows.length]]
        : rows.length === all.length
          ? sources
          : chosenRuns(sources, rows),
  }
}

/** If the redirects of a page ended at a URL that the run may not use, the outcome has no content. */
function landed(runUrls: RunUrls, page: VisitOutcome): VisitOutcome {
  const { entry, finalUrl, httpStatus, durationMs, trail } = page
  const refused = refusedLanding(page, runUrls)
  if (refused === null) return page
  return emptyOutcome(entry, refused.outcome, refused.reason, {
    httpStatus,
    finalUrl,
    durationMs,
    ...(trail && { trail }),
  })
}

/**
 * Decides whether the run may use the URL at which a page's redirects ended. For a kept page, the
 * execution that kept it has decided. For a cached page, this run may decide otherwise than the
 * execution that fetched it.
 */
export function refusedLanding(
  { entry, finalUrl, outcome, cached }: VisitOutcome,
  runUrls: RunUrls,
): Refused | null {
  return finalUrl === null || (outcome !== 'fetched' && !cached)
    ? null
    : refuseLanding(entry, finalUrl, runUrls)
}
