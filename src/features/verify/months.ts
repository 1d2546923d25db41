import { Change } from '../../records/change.ts'
import type {
  Credits,
  EntryKind,
  LedgerEntry,
  StatementRecord,
} from '../../records/ledger-records.ts'
import type { Records } from '../../records/records.ts'
import { CREDIT_ACCOUNTS, NO_CREDITS } from '../common/ledger/credits.ts'

type Totals = StatementRecord['totals']

interface Month {
  closing: Credits
  entries: number
  readonly totals: Partial<Record<EntryKind, { entries: number; wallet: number }>>
  /** What its entries add to the sums beside them. */
  readonly sums: Change
}

/** What an account's entries come to by month, as they are read in their order. */
export class Months {
  readonly #months = new Map<string, Month>()
  readonly #records: Records
  readonly #account: string

  constructor(records: Records, account: string) {
    this.#records = records
    this.#account = account
  }

  get names(): readonly string[] {
    return [...this.#months.keys()]
  }

  /** `credits`: after the entry. */
  add(entry: LedgerEntry, credits: Credits): void {
    const month = this.#months.get(entry.period) ?? {
      closing: credits,
      entries: 0,
      totals: {},
      sums: new Change(),
    }
    this.#months.set(entry.period, month)
    month.closing = credits
    month.entries++
    const total = (month.totals[entry.kind] ??= { entries: 0, wallet: 0 })
    total.entries++
    total.wallet += entry.moves.wallet ?? 0
    this.#records.spending.add(month.sums, this.#account, entry)
  }

  /** What is wrong with a statement. */
  faultsOf(statement: StatementRecord): string[] {
    const opening = this.#creditsBefore(statement.period)
    const { closing = opening, entries = 0, totals = {} } = this.#months.get(statement.period) ?? {}
    const faults = [
      ...differing('opens', statement.opening, opening),
      ...differing('closes', statement.closing, closing),
    ]
    if (statement.entries !== entries)
      faults.push(`it counts ${statement.entries} entries, there are ${entries}`)
    for (const kind of new Set([...kindsOf(statement.totals), ...kindsOf(totals)])) {
      const [said, found] = [statement.totals[kind], totals[kind]]
      if (said?.entries !== found?.entries || said?.wallet !== found?.wallet)
        faults.push(`it sums ${kind} up to ${textOf(said)}, its entries come to ${textOf(found)}`)
    }
    return faults
  }

  /** Sums beside the entries of a month, by the key that they are kept under: as they should be. */
  sumsOf(period: string): ReadonlyMap<string, number> {
    const added = this.#months.get(period)?.sums.toCommit().add ?? []
    return new Map(added.map(({ key, amount }) => [key.slice(3).join('/'), amount]))
  }

  #creditsBefore(period: string): Credits {
    let credits = NO_CREDITS
    for (const [name, { closing }] of this.#months) if (name < period) credits = closing
    return credits
  }
}

function kindsOf(totals: Totals): EntryKind[] {
  const kinds = [
    'grant',
    'top_up',
    'reserve',
    'settle',
    'release',
    'refund',
    'expire',
    'adjust',
  ] as const satisfies readonly EntryKind[]
  return kinds.filter((kind) => totals[kind] !== undefined)
}

function differing(what: string, said: Credits, found: Credits): string[] {
  return CREDIT_ACCOUNTS.flatMap((account) =>
    said[account] === found[account]
      ? []
      : [`it ${what} with ${account} ${said[account]}, its entries come to ${found[account]}`],
  )
}

function textOf(total: { readonly entries: number; readonly wallet: number } | undefined): string {
  return total ? `${total.wallet} credits in ${total.entries} entries` : 'nothing'
}
