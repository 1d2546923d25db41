import { monthAfter } from '../../../src/features/common/time.ts'
import { CREDIT_ACCOUNTS, moved } from '../../../src/features/ledger/credits.ts'
import type { Credits, LedgerEntry, StatementRecord } from '../../../src/features/ledger/records.ts'

/** A statement apart from when it was closed, and by which plan. */
type Sums = Pick<StatementRecord, 'period' | 'opening' | 'closing' | 'totals' | 'entries'>

/** Each statement is the sum of the entries of its month, and begins where the one before has ended. */
export function statementFaults(
  statements: readonly Sums[],
  entries: readonly Pick<LedgerEntry, 'period' | 'kind' | 'moves'>[],
): readonly string[] {
  const months = statements.toSorted((a, b) => (a.period < b.period ? -1 : 1))
  return months.flatMap((statement, index) => {
    const lines = entries.filter(({ period }) => period === statement.period)
    const before = months[index - 1]
    return [
      ...(statement.entries === lines.length ? [] : ['a statement counts other entries']),
      ...(sameCredits(statement.closing, closingOf(statement, lines))
        ? []
        : ['a statement closes with other credits than its entries']),
      ...(totalsText(statement.totals) === totalsText(totalsOf(lines))
        ? []
        : ['the totals of a statement are not those of its entries']),
      // A month may be without a statement until somebody asks for it.
      ...(!before ||
      monthAfter(before.period) !== statement.period ||
      sameCredits(before.closing, statement.opening)
        ? []
        : ['a statement does not begin where the one before has ended']),
    ]
  })
}

type Lines = readonly Pick<LedgerEntry, 'kind' | 'moves'>[]
type Totals = Readonly<Record<string, { readonly entries: number; readonly wallet: number }>>

function closingOf({ opening }: Sums, lines: Lines): Credits {
  return lines.reduce((credits, { moves }) => moved(credits, moves), opening)
}

function totalsOf(lines: Lines): Totals {
  const totals: Record<string, { entries: number; wallet: number }> = {}
  for (const { kind, moves } of lines) {
    const total = (totals[kind] ??= { entries: 0, wallet: 0 })
    total.entries++
    total.wallet += moves.wallet ?? 0
  }
  return totals
}

function totalsText(totals: Totals): string {
  return JSON.stringify(
    Object.entries(totals)
      .map(([kind, { entries, wallet }]) => [kind, entries, wallet])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  )
}

function sameCredits(one: Credits, other: Credits): boolean {
  return CREDIT_ACCOUNTS.every((account) => one[account] === other[account])
}
