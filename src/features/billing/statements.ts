import { notFound } from '../../kernel/errors.ts'
import { Change } from '../../records/change.ts'
import { ENTRY_KINDS } from '../ledger/records.ts'
import type { Credits, EntryKind, StatementRecord, LedgerEntry } from '../ledger/records.ts'
import { NO_CREDITS, moved } from '../ledger/credits.ts'
import { endOfMonth, monthAfter, monthOf, startOfMonth, isoTime } from '../common/time.ts'
import { readPage } from '../common/list-page.ts'
import type { ListPage, ListQuery } from '../common/list-page.ts'
import { filterOf } from '../common/list-records.ts'
import type { CreatedQuery } from '../common/list-records.ts'
import { rangeOf } from '../common/time-range.ts'
import { entriesOf, entryOf } from './entries.ts'
import type { BillingEntry } from './entries.ts'
import type { Core } from '../core.ts'

/** A month's statement on the wire, without its lines. */
export interface Statement {
  /** `YYYY-MM`. */
  readonly id: string
  /** A closed statement never changes. */
  readonly status: 'open' | 'closed'
  readonly from: string
  /** Exclusive. */
  readonly to: string
  /** Id of the plan at the end of the month, or the present one. */
  readonly plan: string
  readonly opening: Credits
  readonly closing: Credits
  readonly entries: number
  /** By kind of entry: their number, and the credits they added to the wallet. */
  readonly totals: readonly {
    readonly kind: EntryKind
    readonly entries: number
    readonly wallet: number
  }[]
}

/** A statement with one list page of its lines, oldest first. */
export interface StatementPage extends Statement {
  readonly lines: ListPage<BillingEntry>
}

/** Monthly statements. */
export interface Statements {
  /** Newest first, beginning with the open month, unless `sort` says otherwise. */
  list(account: string, query: CreatedQuery): Promise<ListPage<Statement>>
  /** @throws {PlatformError} 404 for a month in which the account had no wallet */
  get(account: string, period: string): Promise<Statement>
  /**
   * A statement with some of its lines.
   *
   * @throws {PlatformError} as {@link Statements.get}
   */
  page(account: string, period: string, query: ListQuery): Promise<StatementPage>
  /**
   * The statement of a past month. It is created and stored if it does not exist yet. `null`: the
   * month is not over, or the account had no wallet then.
   */
  close(account: string, period: string): Promise<StatementRecord | null>
}

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/

/** Opens the statements. */
export function createStatements({ records, ledger, tariff, cursors, clock }: Core): Statements {
  /** The account's first month and its open month. `null`: it has had no credits yet. */
  const span = async (account: string): Promise<{ first: string; open: string } | null> => {
    if (!(await records.periods.get(account))) return null
    const [{ value }, [entry], [statement]] = await Promise.all([
      ledger.period(account, clock.now()),
      records.ledger.list(account, { limit: 1 }),
      records.statements.list(account, { limit: 1 }),
    ])
    const months = [value.open, entry?.value.period, statement?.value.period].flatMap((month) =>
      month === undefined ? [] : [month],
    )
    return { first: months.toSorted()[0] ?? value.open, open: value.open }
  }
  const planIn = async (account: string, period: string): Promise<string> => {
    const [change] = await records.planChanges.list(account, {
      before: [monthAfter(period)],
      reverse: true,
      limit: 1,
    })
    return change?.value.plan ?? tariff.plans[0].id
  }
  const latest = async (account: string, period: string): Promise<StatementRecord | null> => {
    const [last] = await records.statements.list(account, {
      before: [monthAfter(period)],
      reverse: true,
      limit: 1,
    })
    return last?.value ?? null
  }
  /**
   * Closes every month up to `period` that has no statement yet. Each one opens with the closing
   * balance of the month before.
   */
  const closeUpTo = async (
    account: string,
    period: string,
    first: string,
  ): Promise<StatementRecord> => {
    let statement = await latest(account, period)
    while (statement?.period !== period) {
      const month = statement ? monthAfter(statement.period) : first
      const opening = statement?.closing ?? NO_CREDITS
      statement = await computeStatement(
        { period: month, plan: await planIn(account, month), opening },
        entriesOf(records, account, month),
      )
      const change = new Change()
      records.statements.insert(change, account, statement)
      // If another process closed the month first, its statement is the same: a past month gets no
      // more entries.
      if (!(await records.commit(change)))
        statement = (await records.statements.get(account, month))?.value ?? statement
    }
    return statement
  }
  const close = async (
    account: string,
    period: string,
    months: { first: string; open: string },
  ): Promise<StatementRecord | null> =>
    period < months.first || period >= months.open ? null : closeUpTo(account, period, months.first)

  const openOne = async (
    account: string,
    { first, open }: { first: string; open: string },
  ): Promise<Statement> => {
    const now = clock.now()
    const [{ credits, plan }, points] = await Promise.all([
      ledger.balance(account, now),
      records.spending.read(account, open, 'kind', ENTRY_KINDS.length * 2),
    ])
    const opening =
      first < open ? (await closeUpTo(account, monthBefore(open), first)).closing : NO_CREDITS
    const sum = (kind: EntryKind, metric: string): number =>
      points.find((point) => point.name === kind && point.metric === metric)?.value ?? 0
    const totals = ENTRY_KINDS.map((kind) => ({
      kind,
      entries: sum(kind, 'entries'),
      wallet: sum(kind, 'wallet'),
    })).filter(({ entries }) => entries > 0)
    return {
      id: open,
      status: 'open',
      ...bounds(open),
      plan: plan.id,
      opening,
      closing: credits,
      entries: totals.reduce((all, { entries }) => all + entries, 0),
      totals,
    }
  }

  const get: Statements['get'] = async (account, period) => {
    const months = MONTH.test(period) ? await span(account) : null
    if (months === null || period < months.first || period > months.open)
      throw notFound('Statement')
    const closed = await close(account, period, months)
    return closed ? statementOf(closed) : openOne(account, months)
  }

  return {
    get,
    async list(account, query) {
      const range = rangeOf(query)
      const context = { account, operation: 'billing.statements', filter: filterOf(query) }
      const months = await span(account)
      // A month is listed by its start.
      const listed = (open: string, earliest: string) => {
        const from = range.begin === -Infinity ? '' : monthAfter(monthOf(range.begin - 1))
        const to = range.end === Infinity ? open : monthOf(range.end - 1)
        return { first: from > earliest ? from : earliest, last: to < open ? to : open }
      }
      const page = await readPage(cursors, context, query, async (after, limit) => {
        if (months === null) return { items: [], next: null }
        const { first, last } = listed(months.open, months.first)
        const isForward = query.sort === 'createdAt'
        const step = isForward ? monthAfter : monthBefore
        const items: Statement[] = []
        let month = after ? step(String(after[0])) : isForward ? first : last
        const isListed = (): boolean => month >= first && month <= last
        for (; isListed() && items.length < limit; month = step(month)) {
          const closed = await close(account, month, months)
          items.push(closed ? statementOf(closed) : await openOne(account, months))
        }
        const end = items.at(-1)
        return { items, next: end && isListed() ? [end.id] : null }
      })
      if (query.count !== true) return page
      let total = 0
      if (months !== null) {
        const { first, last } = listed(months.open, months.first)
        for (let month = first; month <= last; month = monthAfter(month)) total++
      }
      return { ...page, total, totalAtLeast: total }
    },

    async page(account, period, query) {
      const statement = await get(account, period)
      const context = { account, operation: 'billing.statement', filter: period }
      const lines = await readPage(cursors, context, query, async (after, limit) => {
        const entries = await records.ledger.list(account, {
          within: [period],
          limit: limit + 1,
          ...(after && { after }),
        })
        const shown = entries.slice(0, limit)
        return {
          items: shown.map(({ value }) => entryOf(value)),
          next: entries.length > limit ? (shown.at(-1)?.id ?? null) : null,
        }
      })
      return { ...statement, lines }
    },

    async close(account, period) {
      const months = MONTH.test(period) ? await span(account) : null
      return months && close(account, period, months)
    },
  }
}

function statementOf({
  period,
  plan,
  opening,
  closing,
  entries,
  totals,
}: StatementRecord): Statement {
  const listed = ENTRY_KINDS.flatMap((kind) => {
    const total = totals[kind]
    return total ? [{ kind, ...total }] : []
  })
  return {
    id: period,
    status: 'closed',
    ...bounds(period),
    plan,
    opening,
    closing,
    entries,
    totals: listed,
  }
}

function bounds(period: string): { from: string; to: string } {
  return { from: isoTime(startOfMonth(period)), to: isoTime(endOfMonth(period)) }
}

function monthBefore(month: string): string {
  return isoTime(startOfMonth(month) - 1).slice(0, 7)
}

/** The facts that a statement is computed from, beside the entries. */
interface StatementFacts {
  /** `YYYY-MM`. */
  readonly period: string
  /** Id of the plan at the end of the month. */
  readonly plan: string
  /** The closing balance of the statement before. */
  readonly opening: Credits
}

/**
 * Computes a month's statement from its ledger entries alone. Every computation gives the same
 * result.
 *
 * @throws {RangeError} for an entry that does not sum to zero
 */
export async function computeStatement(
  { period, plan, opening }: StatementFacts,
  entries: Iterable<LedgerEntry> | AsyncIterable<LedgerEntry>,
): Promise<StatementRecord> {
  const totals: Partial<Record<EntryKind, { entries: number; wallet: number }>> = {}
  let closing = opening
  let count = 0
  for await (const { kind, moves } of entries) {
    closing = moved(closing, moves)
    const total = (totals[kind] ??= { entries: 0, wallet: 0 })
    total.entries += 1
    total.wallet += moves.wallet ?? 0
    count += 1
  }
  return { period, closedAt: endOfMonth(period), plan, opening, closing, totals, entries: count }
}
