import type { Paginated, PositionedItem } from '../../records/paginate.ts'
import { paginate } from '../../records/paginate.ts'
import { badRequest } from '../../kernel/errors.ts'
import type { KeyPart } from '../../kernel/key.ts'
import { normaliseUrl } from '../../kernel/url.ts'
import { readPage, totalOf } from '../common/list-page.ts'
import type { CountedQuery, ListPage } from '../common/list-page.ts'
import { isoTime } from '../common/time.ts'
import type { Core } from '../core.ts'
import type { Records } from '../records.ts'
import { emptyProgress, pendingOf } from './records.ts'
import { visitOf } from './page-visit.ts'
import type { PageVisit } from './page-visit.ts'
import type { FrontierRecord, Outcome, StartList, VisitRecord } from './records.ts'

/** A filter of the receipt: an outcome, or `pending` for URLs that have no outcome yet. */
export type PageOutcome = Outcome | 'pending'

/** Filters of the receipt. All conditions must hold. */
export interface PagesQuery extends CountedQuery {
  readonly outcome?: PageOutcome
  /** Code of a reason, such as `http_404`. */
  readonly reason?: string
  /** The host of the URL, without its port. */
  readonly host?: string
}

/** One URL of an execution, with its outcome and its cost. */
export interface PageReceipt extends Omit<
  VisitRecord,
  'execution' | 'seq' | 'outcome' | 'at' | 'listedBy' | 'trail' | 'found'
> {
  readonly outcome: PageOutcome
  /** The list of start pages that named it. `null`: it is a start URL or a link. */
  readonly listedBy: StartList | null
  /** When the outcome was decided. */
  readonly at: string | null
  /** The facts of the visit. `null`: it was not requested, or they are not known. */
  readonly visit: PageVisit | null
}

type Line = VisitRecord | FrontierRecord

/**
 * Lists the receipt of an execution that is there.
 *
 * @throws {PlatformError} 400
 */
export async function listReceipt(
  { records, cursors }: Core,
  account: string,
  id: string,
  query: PagesQuery,
): Promise<ListPage<PageReceipt>> {
  const { outcome, reason } = query
  const host = query.host === undefined ? undefined : hostOf(query.host)
  const isFound = (reason ?? host) !== undefined
  const context = {
    account,
    operation: 'executions.pages',
    // Without the later filters it has the form of earlier versions, so that older cursors stay
    // valid.
    filter: [id, outcome ?? null, ...(isFound ? [reason ?? null, host ?? null] : [])],
  }
  const page = await readPage(cursors, context, query, (after, limit) =>
    readReceipt(records, account, id, { outcome, reason, host }, after, limit),
  )
  if (query.count !== true) return page
  if (isFound) {
    // There is no counter for the pages of a reason or a host. But if the list has only one page,
    // its length is the number.
    const isWhole = query.cursor === undefined && page.nextCursor === null
    const totalAtLeast = page.items.length
    return { ...page, total: isWhole ? totalAtLeast : null, totalAtLeast }
  }
  const stored = await records.progress.get(account, id)
  const progress = stored?.value ?? emptyProgress(id)
  const total =
    outcome === undefined
      ? progress.discovered
      : outcome === 'pending'
        ? pendingOf(progress)
        : (progress.outcomes[outcome] ?? 0)
  return { ...page, ...totalOf(query, total) }
}

/** A host in the form that it has in URLs: lower case, Punycode, no dot at the end. */
function hostOf(text: string): string {
  const url = /^(?:\[[^\]]*\]|[^/?#@\\:[\]]+)$/.test(text) ? normaliseUrl(`http://${text}/`) : null
  if (url === null)
    throw badRequest([
      {
        path: 'host',
        message: 'must be the host of a URL, such as shop.example.com, without a port',
      },
    ])
  return new URL(url).hostname
}

/** Filters of the receipt, with the host in the form that it has in URLs. */
interface LineFilter {
  readonly outcome: PageOutcome | undefined
  readonly reason: string | undefined
  readonly host: string | undefined
}

/** Reads one list page of the receipt: visited and waiting URLs together, in order of discovery. */
async function readReceipt(
  records: Records,
  account: string,
  execution: string,
  { outcome, reason, host }: LineFilter,
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<PageReceipt>> {
  // Waiting pages are read by themselves.
  const reached = outcome === 'pending' ? undefined : outcome
  const isPart = (reached ?? reason ?? host) !== undefined
  const keep = (line: Line) =>
    (reached === undefined || ('outcome' in line && line.outcome === reached)) &&
    (reason === undefined || ('outcome' in line && line.reason?.code === reason)) &&
    (host === undefined || new URL(line.url).hostname === host)
  const page = await paginate<Line>({
    account,
    read: readLines(records, account, execution, outcome),
    after,
    limit,
    ...(isPart && { keep }),
  })
  return { items: page.items.map(receiptOf), next: page.next }
}

function readLines(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
) {
  return async (
    after: readonly KeyPart[] | null,
    count: number,
  ): Promise<PositionedItem<Line>[]> => {
    const slice = {
      within: [execution],
      limit: count,
      ...(after && { after: [execution, ...after] }),
    }
    // Waiting URLs are read first. If a URL is settled between the two reads, it is read twice and
    // never missed.
    const waiting =
      outcome === undefined || outcome === 'pending'
        ? await records.frontier.list(account, slice)
        : []
    const settled = outcome === 'pending' ? [] : await records.visits.list(account, slice)
    const lines = new Map<number, Line>()
    for (const { value } of waiting) lines.set(value.seq, value)
    for (const { value } of settled) lines.set(value.seq, value)
    return [...lines.values()]
      .toSorted((a, b) => a.seq - b.seq)
      .slice(0, count)
      .map((item) => ({ item, position: [item.seq] }))
  }
}

/** Converts a receipt line to the wire. */
export function receiptOf(line: Line): PageReceipt {
  const { url, label, depth, listedBy = null } = line
  if (!('outcome' in line))
    return {
      url,
      finalUrl: null,
      label,
      depth,
      listedBy,
      outcome: 'pending',
      reason: null,
      httpStatus: null,
      rows: 0,
      bytes: 0,
      durationMs: 0,
      credits: 0,
      at: null,
      visit: null,
    }
  const { finalUrl, outcome, reason, httpStatus, rows, bytes, durationMs, credits, at, trail } =
    line
  return {
    url,
    finalUrl,
    label,
    depth,
    listedBy,
    outcome,
    reason,
    httpStatus,
    rows,
    bytes,
    durationMs,
    credits,
    at: isoTime(at),
    visit: trail ? visitOf(trail, url) : null,
  }
}
