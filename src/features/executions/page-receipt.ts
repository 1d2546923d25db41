import type { KeyPart } from '../../kernel/key.ts'
import { paginate } from '../../records/paginate.ts'
import type { Paginated, Placed } from '../../records/paginate.ts'
import type { Records } from '../../records/records.ts'
import type { FrontierRecord, Outcome, StartList, VisitRecord } from '../../records/types.ts'
import { isoTime } from '../iso-time.ts'

/** What can be asked of the receipt: an outcome, or `pending` for URLs that have none yet. */
export type PageOutcome = Outcome | 'pending'

/** One URL of an execution, what became of it and what it cost. */
export interface PageReceipt extends Omit<
  VisitRecord,
  'execution' | 'seq' | 'outcome' | 'at' | 'listedBy'
> {
  readonly outcome: PageOutcome
  /** The list of start pages that named it; `null`: it is a start URL, or a link. */
  readonly listedBy: StartList | null
  /** When the outcome was known. */
  readonly at: string | null
}

type Line = VisitRecord | FrontierRecord

/** A page of the receipt: visited and waiting URLs together, in the order of their discovery. */
export async function readReceipt(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
  after: readonly KeyPart[] | null,
  limit: number,
): Promise<Paginated<PageReceipt>> {
  const keep =
    outcome === undefined || outcome === 'pending'
      ? null
      : (line: Line) => 'outcome' in line && line.outcome === outcome
  const page = await paginate<Line>({
    read: readLines(records, account, execution, outcome),
    after,
    limit,
    ...(keep && { keep }),
  })
  return { items: page.items.map(receiptOf), next: page.next }
}

function readLines(
  records: Records,
  account: string,
  execution: string,
  outcome: PageOutcome | undefined,
) {
  return async (after: readonly KeyPart[] | null, count: number): Promise<Placed<Line>[]> => {
    const slice = {
      within: [execution],
      limit: count,
      ...(after && { after: [execution, ...after] }),
    }
    // Waiting URLs first: one that is settled between the two reads is then seen twice, and never
    // missed.
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

/** What the wire shows of a URL. */
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
    }
  const { finalUrl, outcome, reason, httpStatus, rows, bytes, durationMs, credits, at } = line
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
  }
}
