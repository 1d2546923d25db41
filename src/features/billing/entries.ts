import type { Cursors } from '../../kernel/cursor.ts'
import { isInCalendar, monthAfter, monthOf, startOfMonth, isoTime } from '../common/time.ts'
import { badRequest } from '../../kernel/errors.ts'
import type { EntryKind, LedgerEntry, CreditAccount } from '../ledger/records.ts'
import { eachPage, paginate } from '../../records/paginate.ts'
import type { PaginateOptions } from '../../records/paginate.ts'
import type { Records } from '../records.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import type { Outcome } from '../executions/records.ts'

/** Filters of ledger entries. All conditions must hold. */
export interface EntryQuery extends ListQuery {
  /** Month that the entries are accounted to, `YYYY-MM`. */
  readonly period?: string
  /** Start, inclusive: a month, day or time in ISO 8601. Months and days are UTC. */
  readonly from?: string
  /** End, exclusive, in the same form. */
  readonly to?: string
  readonly kind?: EntryKind
  /** Id of an execution. */
  readonly execution?: string
}

/** Reads one list page of an account's ledger, newest first. */
export function readEntries(
  { records, cursors }: { readonly records: Records; readonly cursors: Cursors },
  account: string,
  query: EntryQuery,
): Promise<ListPage<Entry>> {
  const { period, from, to, kind, execution } = query
  const [begin, end] = [timeOf('from', from) ?? -Infinity, timeOf('to', to) ?? Infinity]
  if (begin > end) throw badRequest([{ path: 'from', message: 'must not be after to' }])
  // An entry that is dated before its month counts from the start of the month, so that months
  // limit what has to be read.
  const keep = (entry: LedgerEntry): boolean => {
    const at = Math.max(entry.at, startOfMonth(entry.period))
    return (
      at >= begin &&
      at < end &&
      (kind === undefined || entry.kind === kind) &&
      (period === undefined || entry.period === period)
    )
  }
  const read: PaginateOptions<LedgerEntry>['read'] = async (after, limit) => {
    if (execution !== undefined) {
      const entries = await records.ledger.listBy('execution', account, {
        within: [execution],
        limit,
        reverse: true,
        ...(after && { before: after }),
      })
      return entries.map(({ record, position }) => ({ item: record.value, position }))
    }
    const before = after ?? (end === Infinity ? null : [monthAfter(monthOf(end - 1))])
    const entries = await records.ledger.list(account, {
      limit,
      reverse: true,
      ...(before && { before }),
      ...(begin > -Infinity && { after: [monthOf(begin)] }),
      ...(period !== undefined && { within: [period] }),
    })
    return entries.map(({ value, id }) => ({ item: value, position: id }))
  }
  const isFiltered =
    kind !== undefined ||
    begin > -Infinity ||
    end < Infinity ||
    (execution !== undefined && period !== undefined)
  const filter = [period ?? null, from ?? null, to ?? null, kind ?? null, execution ?? null]
  return readPage(
    cursors,
    { account, operation: 'billing.ledger', filter },
    query,
    async (after, limit) => {
      const { items, next } = await paginate({ read, after, limit, ...(isFiltered && { keep }) })
      return { items: items.map(entryOf), next }
    },
  )
}

/** All entries of a month, in order. */
export async function* entriesOf(
  records: Records,
  account: string,
  period: string,
): AsyncGenerator<LedgerEntry, void, undefined> {
  for await (const page of eachPage(records.ledger, account, [period]))
    for (const { value } of page) yield value
}

const TIME = /^20\d\d-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?)?$/

function timeOf(path: string, text: string | undefined): number | null {
  if (text === undefined) return null
  const time = TIME.test(text) && isInCalendar(text) ? Date.parse(text) : NaN
  if (Number.isNaN(time))
    throw badRequest([
      {
        path,
        message:
          'must be a month, a day or a time with its zone, such as 2030-01, 2030-01-31 or 2030-01-31T12:00:00Z',
      },
    ])
  return time
}

/** A ledger entry on the wire. */
export interface Entry {
  readonly id: string
  /** Month that it is accounted to, `YYYY-MM`. */
  readonly period: string
  readonly at: string
  readonly kind: EntryKind
  /** Its cause. No two entries have the same. */
  readonly cause: string
  /** Credits added to each account that it touches. They sum to zero. */
  readonly moves: Readonly<Partial<Record<CreditAccount, number>>>
  readonly executionId: string | null
  readonly taskId: string | null
  /** The pages of a settlement or a refund, by their number in the execution's receipt. */
  readonly pages: readonly {
    readonly seq: number
    readonly outcome: Outcome
    readonly credits: number
  }[]
  readonly note: string | null
}

/** Converts an entry to the wire. */
export function entryOf({
  id,
  period,
  at,
  kind,
  cause,
  moves,
  execution,
  task,
  pages = [],
  note,
}: LedgerEntry): Entry {
  return {
    id,
    period,
    at: isoTime(at),
    kind,
    cause,
    moves,
    executionId: execution,
    taskId: task,
    pages: pages.map(([seq, outcome, credits]) => ({ seq, outcome, credits })),
    note: note ?? null,
  }
}
