import type { CreditAccount, Credits } from '../../../records/ledger-records.ts'

/** Credits added to accounts; whole numbers that sum to zero. */
export type Moves = Readonly<Partial<Record<CreditAccount, number>>>

/** Every account of the ledger. */
export const CREDIT_ACCOUNTS = [
  'wallet',
  'held',
  'revenue',
  'grants',
  'expired',
] as const satisfies readonly CreditAccount[]

/** Nothing anywhere. */
export const NO_CREDITS: Credits = { wallet: 0, held: 0, revenue: 0, grants: 0, expired: 0 }

/**
 * Credits after a movement.
 *
 * @throws {RangeError} for one that does not sum to zero, or has a part that is no whole number
 */
export function moved(credits: Credits, moves: Moves): Credits {
  let sum = 0
  const after: Record<CreditAccount, number> = { ...credits }
  for (const account of CREDIT_ACCOUNTS) {
    const amount = moves[account] ?? 0
    if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(after[account] + amount))
      throw new RangeError(`${amount} credits for ${account} are no amount`)
    sum += amount
    after[account] += amount
  }
  if (sum !== 0) throw new RangeError(`The movement is off balance by ${sum} credits`)
  return after
}

/** The movement of `amount` credits from one account to another. */
export function transfer(from: CreditAccount, to: CreditAccount, amount: number): Moves {
  return { [from]: -amount, [to]: amount }
}
