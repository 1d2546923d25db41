import type {
  Credits,
  LedgerEntry,
  WalletRecord,
  EntryKind,
  StatementRecord,
} from '../ledger/records.ts'
import { ENTRY_KINDS } from '../ledger/records.ts'
import { CREDIT_ACCOUNTS, NO_CREDITS, moved, sumOfLots } from '../ledger/credits.ts'
import { Change } from '../../records/change.ts'
import { Pace } from '../../kernel/pace.ts'
import type { Records } from '../records.ts'
import { Faults } from './findings.ts'

/** A hold, and the credits that its execution has spent so far. */
export interface OpenHold {
  readonly execution: string
  readonly reserved: number
  readonly spent: number
}

/** Computes an account's money from its entries alone. */
export class Replay {
  #credits: Credits = NO_CREDITS
  readonly #spent = new Map<string, number>()
  readonly #refunded = new Map<string, number>()
  readonly #causes: Set<string> | null
  readonly #pace: Pace
  /** The faults found so far. */
  readonly faults: Faults

  /** `remembersCauses`: looks for two entries of one cause, which takes memory for each entry. */
  constructor(faults = new Faults(), pace = new Pace(), remembersCauses = true) {
    this.faults = faults
    this.#pace = pace
    this.#causes = remembersCauses ? new Set() : null
  }

  get credits(): Credits {
    return this.#credits
  }

  /** Sum of the credits of an execution's settled pages. */
  spentBy(execution: string): number {
    return this.#spent.get(execution) ?? 0
  }

  add(entry: LedgerEntry): void {
    if (this.#causes?.has(entry.cause) === true) this.faults.add(`${entry.cause} has two entries`)
    this.#causes?.add(entry.cause)
    try {
      this.#credits = moved(this.#credits, entry.moves)
    } catch (error) {
      this.faults.add(
        `entry ${entry.id}: ${error instanceof Error ? error.message : 'is not a movement'}`,
      )
    }
    if (entry.kind === 'refund' && entry.execution !== null)
      this.#refunded.set(
        entry.execution,
        (this.#refunded.get(entry.execution) ?? 0) + (entry.moves.wallet ?? 0),
      )
    if (entry.kind !== 'settle' && entry.kind !== 'fetch') return
    const paid = (entry.pages ?? []).reduce((sum, [, , credits]) => sum + credits, 0)
    if (paid !== entry.moves.revenue)
      this.faults.add(
        `entry ${entry.id}: its pages cost ${paid}, it moves ${entry.moves.revenue ?? 0}`,
      )
    if (entry.execution !== null)
      this.#spent.set(entry.execution, this.spentBy(entry.execution) + paid)
  }

  /** Compares the result with the stored wallet and holds, which may be very many. */
  async compare(wallet: WalletRecord, holds: readonly OpenHold[]): Promise<void> {
    const spent = holds.reduce((sum, hold) => sum + hold.spent, 0)
    const shown = moved(wallet.credits, { held: -spent, revenue: spent })
    for (const account of CREDIT_ACCOUNTS) {
      if (shown[account] !== this.#credits[account])
        this.faults.add(
          `${account} is ${shown[account]}, its entries come to ${this.#credits[account]}`,
        )
    }
    if (sumOfLots(wallet.lots) !== Math.max(wallet.credits.wallet, 0))
      this.faults.add(
        `the lots come to ${sumOfLots(wallet.lots)}, the wallet is ${wallet.credits.wallet}`,
      )
    const reserved = holds.reduce((sum, hold) => sum + hold.reserved, 0)
    if (wallet.credits.held !== reserved)
      this.faults.add(`${wallet.credits.held} credits are held, the holds come to ${reserved}`)
    for (const [execution, refunded] of this.#refunded) {
      if (refunded > this.spentBy(execution))
        this.faults.add(
          `execution ${execution} was refunded ${refunded} credits of ${this.spentBy(execution)}`,
        )
      const rest = this.#pace.step()
      if (rest) await rest
    }
    for (const hold of holds) {
      if (hold.spent !== this.spentBy(hold.execution))
        this.faults.add(
          `execution ${hold.execution} counts ${hold.spent} credits, its entries come to ` +
            `${this.spentBy(hold.execution)}`,
        )
      if (hold.spent > hold.reserved)
        this.faults.add(
          `execution ${hold.execution} has spent ${hold.spent} of ${hold.reserved} credits`,
        )
      const rest = this.#pace.step()
      if (rest) await rest
    }
  }
}

type Totals = StatementRecord['totals']

interface Month {
  closing: Credits
  entries: number
  readonly totals: Partial<Record<EntryKind, { entries: number; wallet: number }>>
  /** The sums of its entries. `null`: there were too many for memory. */
  sums: Change | null
}

/** Maximum number of sums in memory, of all months together. They take some 50 MB. */
const MOST_SUMS = 100_000

/** Computes an account's months from its entries, which are added in order. */
export class Months {
  readonly #months = new Map<string, Month>()
  readonly #records: Records
  readonly #account: string
  readonly #mostSums: number
  #sums = 0

  /**
   * Beyond `mostSums`, the sums of months are left out. Their entries are then read again, month by
   * month.
   */
  constructor(records: Records, account: string, mostSums = MOST_SUMS) {
    this.#records = records
    this.#account = account
    this.#mostSums = mostSums
  }

  get names(): readonly string[] {
    return [...this.#months.keys()]
  }

  /** `credits`: the credits after the entry. */
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
    if (month.sums === null) return
    this.#sums -= month.sums.size
    this.#records.spending.add(month.sums, this.#account, entry)
    this.#sums += month.sums.size
    if (this.#sums <= this.#mostSums) return
    for (const other of this.#months.values()) other.sums = null
    this.#sums = 0
  }

  /** True if the sums of a month are in memory. */
  hasSums(period: string): boolean {
    return this.#months.get(period)?.sums !== null
  }

  /** The faults of a statement. */
  faultsOf(statement: StatementRecord): Faults {
    const opening = this.#creditsBefore(statement.period)
    const { closing = opening, entries = 0, totals = {} } = this.#months.get(statement.period) ?? {}
    const faults = new Faults()
    addDiffering(faults, 'opens', statement.opening, opening)
    addDiffering(faults, 'closes', statement.closing, closing)
    if (statement.entries !== entries)
      faults.add(`it counts ${statement.entries} entries, there are ${entries}`)
    for (const kind of new Set([...kindsOf(statement.totals), ...kindsOf(totals)])) {
      const [stated, replayed] = [statement.totals[kind], totals[kind]]
      if (stated?.entries !== replayed?.entries || stated?.wallet !== replayed?.wallet)
        faults.add(
          `it sums ${kind} up to ${textOf(stated)}, its entries come to ${textOf(replayed)}`,
        )
    }
    return faults
  }

  /** The expected sums of a month, by the key under which they are stored. */
  async sumsOf(period: string, pace: Pace): Promise<ReadonlyMap<string, number>> {
    const sums = new Map<string, number>()
    for (const { key, amount } of this.#months.get(period)?.sums?.toCommit().add ?? []) {
      sums.set(key.slice(3).join('/'), amount)
      const rest = pace.step()
      if (rest) await rest
    }
    return sums
  }

  #creditsBefore(period: string): Credits {
    let credits = NO_CREDITS
    for (const [name, { closing }] of this.#months) if (name < period) credits = closing
    return credits
  }
}

function kindsOf(totals: Totals): EntryKind[] {
  return ENTRY_KINDS.filter((kind) => totals[kind] !== undefined)
}

function addDiffering(faults: Faults, what: string, stated: Credits, replayed: Credits): void {
  for (const account of CREDIT_ACCOUNTS)
    if (stated[account] !== replayed[account])
      faults.add(
        `it ${what} with ${account} ${stated[account]}, its entries come to ${replayed[account]}`,
      )
}

function textOf(total: { readonly entries: number; readonly wallet: number } | undefined): string {
  return total ? `${total.wallet} credits in ${total.entries} entries` : 'nothing'
}
