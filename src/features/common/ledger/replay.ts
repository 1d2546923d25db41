import type { Credits, LedgerEntry, WalletRecord } from '../../../records/ledger-records.ts'
import { CREDIT_ACCOUNTS, NO_CREDITS, moved } from './credits.ts'
import { sumOfLots } from './lots.ts'

/** A hold with what its execution has spent so far. */
export interface OpenHold {
  readonly execution: string
  readonly reserved: number
  readonly spent: number
}

/** Everything that an account's entries come to, worked out from nothing else. */
export class Replay {
  #credits: Credits = NO_CREDITS
  readonly #spent = new Map<string, number>()
  readonly #refunded = new Map<string, number>()
  readonly #causes = new Set<string>()
  /** What must never be, as found so far. */
  readonly faults: string[] = []

  get credits(): Credits {
    return this.#credits
  }

  /** Credits that an execution's settled pages come to. */
  spentBy(execution: string): number {
    return this.#spent.get(execution) ?? 0
  }

  add(entry: LedgerEntry): void {
    if (this.#causes.has(entry.cause)) this.faults.push(`${entry.cause} has two entries`)
    this.#causes.add(entry.cause)
    try {
      this.#credits = moved(this.#credits, entry.moves)
    } catch (error) {
      this.faults.push(
        `entry ${entry.id}: ${error instanceof Error ? error.message : 'is no movement'}`,
      )
    }
    if (entry.execution === null) return
    if (entry.kind === 'refund')
      this.#refunded.set(
        entry.execution,
        (this.#refunded.get(entry.execution) ?? 0) + (entry.moves.wallet ?? 0),
      )
    if (entry.kind !== 'settle') return
    const paid = (entry.pages ?? []).reduce((sum, [, , credits]) => sum + credits, 0)
    if (paid !== entry.moves.revenue)
      this.faults.push(
        `entry ${entry.id}: its pages cost ${paid}, it moves ${entry.moves.revenue ?? 0}`,
      )
    this.#spent.set(entry.execution, this.spentBy(entry.execution) + paid)
  }

  /** Compares with what the store says the account has. */
  compare(wallet: WalletRecord, holds: readonly OpenHold[]): void {
    const spent = holds.reduce((sum, hold) => sum + hold.spent, 0)
    const shown = moved(wallet.credits, { held: -spent, revenue: spent })
    for (const account of CREDIT_ACCOUNTS) {
      if (shown[account] !== this.#credits[account])
        this.faults.push(
          `${account} is ${shown[account]}, its entries come to ${this.#credits[account]}`,
        )
    }
    if (sumOfLots(wallet.lots) !== Math.max(wallet.credits.wallet, 0))
      this.faults.push(
        `the lots come to ${sumOfLots(wallet.lots)}, the wallet is ${wallet.credits.wallet}`,
      )
    const reserved = holds.reduce((sum, hold) => sum + hold.reserved, 0)
    if (wallet.credits.held !== reserved)
      this.faults.push(`${wallet.credits.held} credits are held, the holds come to ${reserved}`)
    for (const [execution, refunded] of this.#refunded) {
      if (refunded > this.spentBy(execution))
        this.faults.push(
          `execution ${execution} was refunded ${refunded} credits of ${this.spentBy(execution)}`,
        )
    }
    for (const hold of holds) {
      if (hold.spent !== this.spentBy(hold.execution))
        this.faults.push(
          `execution ${hold.execution} counts ${hold.spent} credits, its entries come to ${this.spentBy(hold.execution)}`,
        )
      if (hold.spent > hold.reserved)
        this.faults.push(
          `execution ${hold.execution} has spent ${hold.spent} of ${hold.reserved} credits`,
        )
    }
  }
}
