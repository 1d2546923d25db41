import { priceOf } from '../../kernel/price.ts'
import type { PriceTable } from '../../kernel/price.ts'
import type { Row } from '../../kernel/json.ts'
import type { Pace } from '../../kernel/pace.ts'
import type { CrawlPlan } from '../../engine/plan/plan.ts'
import { linksFrom, refuseLanding, refuseLink } from '../../engine/visit/reach.ts'
import type { Refused, RunUrls, UrlIdentities } from '../../engine/visit/reach.ts'
import type { MediaRecord } from '../../features/media/records.ts'
import { isFailed, isVisited } from '../../features/executions/records.ts'
import { visitBytes } from '../../features/executions/page-visit.ts'
import type {
  FoundAs,
  FrontierRecord,
  Outcome,
  ProgressRecord,
  VisitRecord,
  LabelCounts,
} from '../../features/executions/records.ts'
import { chosenRuns } from '../../engine/extract/source-trace.ts'
import type { PageProvenance } from '../../features/common/provenance.ts'
import { emptyOutcome } from '../visit/outcome.ts'
import type { VisitOutcome } from '../visit/outcome.ts'
import type { RowKeys } from './rows.ts'
import type { NormalUrl } from '../../kernel/url.ts'

/** A URL that a commit adds: to the frontier, or to the receipt if it will not be visited. */
export type Discovery = Omit<FrontierRecord, 'execution' | 'seq'>

/** All changes of one commit, computed before anything is written. */
export interface SettledGroup {
  readonly visits: readonly VisitRecord[]
  /** `seq` of frontier entries that are done. */
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
  /** Called more than once for the same link. */
  readonly identities: UrlIdentities
  /** True if the run may visit a URL. */
  readonly inScope: CrawlPlan['inScope']
}

/**
 * Gives all URL identities that {@link settle} needs for these outcomes. That of one long URL takes
 * a tenth of a millisecond, and `identities` remembers it.
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
  const tally = new Tally(before)

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
    tally.labels.found(entry.label, entry.hop)
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

/** The parts of an entry with which its page is visited again. */
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

/** A page whose redirects ended where its run may not use it is an outcome without content. */
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
 * Judges where a page's redirects ended. A kept page was judged by the execution that kept it; this
 * run may judge a cached page otherwise than the execution that fetched it.
 */
export function refusedLanding(
  { entry, finalUrl, outcome, cached }: VisitOutcome,
  runUrls: RunUrls,
): Refused | null {
  return finalUrl === null || (outcome !== 'fetched' && !cached)
    ? null
    : refuseLanding(entry, finalUrl, runUrls)
}

/** Adds up the counters of a commit, starting from the committed ones. */
class Tally {
  readonly #before: ProgressRecord
  readonly #outcomes: Partial<Record<Outcome, number>>
  /** A map, because a column may have the name of an inherited property. */
  readonly #filled: Map<string, number>
  readonly #errors: Record<string, number>
  readonly labels: LabelTally
  discovered: number
  #visited: number
  #bytes: number
  #visitBytes: number
  #credits: number
  #extracted: number
  #firstError: string | null
  #media: ProgressRecord['media']
  #model: ProgressRecord['model']

  constructor(before: ProgressRecord) {
    this.#before = before
    this.#outcomes = { ...before.outcomes }
    this.#filled = new Map(Object.entries(before.filled))
    this.#errors = { ...before.errors }
    this.labels = new LabelTally(before.labels)
    this.discovered = before.discovered
    this.#visited = before.visited
    this.#bytes = before.bytes
    this.#visitBytes = before.visitBytes ?? 0
    this.#credits = before.credits
    this.#extracted = before.extracted
    this.#firstError = before.firstError
    this.#media = before.media
    this.#model = before.model
  }

  add(page: VisitOutcome, rowCount: number, credits: number, bytes: number): void {
    this.#outcomes[page.outcome] = (this.#outcomes[page.outcome] ?? 0) + 1
    this.labels.settled(page, rowCount)
    if (isVisited(page.outcome)) this.#visited++
    this.#bytes += page.bytes
    this.#visitBytes += bytes
    this.#credits += credits
    if (page.extracted) this.#extracted++
    if (page.media.fetched > 0)
      this.#media = {
        items: (this.#media?.items ?? 0) + page.media.fetched,
        bytes: (this.#media?.bytes ?? 0) + page.media.bytes,
      }
    if (page.tokens)
      this.#model = {
        pages: (this.#model?.pages ?? 0) + 1,
        inputTokens: (this.#model?.inputTokens ?? 0) + page.tokens.input,
        outputTokens: (this.#model?.outputTokens ?? 0) + page.tokens.output,
      }
    // Rows dropped as duplicates do not count: `filled` describes the rows of the result.
    if (rowCount > 0)
      for (const [column, count] of Object.entries(page.filled))
        this.#filled.set(column, (this.#filled.get(column) ?? 0) + Math.min(count, rowCount))
    if (page.reason && isFailed(page.outcome)) {
      this.#errors[page.reason.code] = (this.#errors[page.reason.code] ?? 0) + 1
      this.#firstError ??= `${page.entry.url}: ${page.reason.message}`
    }
  }

  progress(rows: number, visits: number): ProgressRecord {
    const before = this.#before
    return {
      execution: before.execution,
      seeded: before.seeded,
      commit: before.commit,
      discovered: this.discovered,
      visited: this.#visited,
      outcomes: this.#outcomes,
      rows: before.rows + rows,
      segments: before.segments + (rows > 0 ? 1 : 0),
      settled: before.settled + (visits > 0 ? 1 : 0),
      bytes: this.#bytes,
      ...(this.#visitBytes > 0 && { visitBytes: this.#visitBytes }),
      credits: this.#credits,
      filled: Object.fromEntries(this.#filled),
      errors: this.#errors,
      firstError: this.#firstError,
      extracted: this.#extracted,
      labels: this.labels.toRecord(),
      ...(this.#media && { media: this.#media }),
      ...(this.#model && { model: this.#model }),
    }
  }
}

type Mutable = { -readonly [name in keyof LabelCounts]: LabelCounts[name] }

/** Counts pages by their labels, starting from committed counters. */
class LabelTally {
  /** A map, because a label may have the name of an inherited property. */
  readonly #counts: Map<string, Mutable>

  constructor(before: ProgressRecord['labels'] = {}) {
    this.#counts = new Map(Object.entries(before).map(([label, counts]) => [label, { ...counts }]))
  }

  /** `hop`: pages of the pagination so far, including this one. */
  found(label: string, hop: number): void {
    const counts = this.#of(label)
    counts.found++
    if (hop > 1) counts.next++
  }

  settled({ entry, outcome, extracted }: VisitOutcome, rows: number): void {
    const counts = this.#of(entry.label)
    counts.settled++
    if (outcome === 'fetched' || outcome === 'unchanged') counts.fetched++
    if (extracted) counts.extracted++
    counts.rows += rows
  }

  toRecord(): Readonly<Record<string, LabelCounts>> {
    return Object.fromEntries(this.#counts)
  }

  #of(label: string): Mutable {
    let counts = this.#counts.get(label)
    if (!counts)
      this.#counts.set(
        label,
        (counts = { found: 0, next: 0, settled: 0, fetched: 0, extracted: 0, rows: 0 }),
      )
    return counts
  }
}
