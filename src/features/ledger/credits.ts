import type { CreditAccount, Credits, Lot } from './records.ts'

/** Credits added to each account: whole numbers that sum to zero. */
export type Moves = Readonly<Partial<Record<CreditAccount, number>>>

/** All accounts of the ledger. */
export const CREDIT_ACCOUNTS = [
  'wallet',
  'held',
  'revenue',
  'grants',
  'expired',
] as const satisfies readonly CreditAccount[]

/** Zero credits in each account. */
export const NO_CREDITS: Credits = { wallet: 0, held: 0, revenue: 0, grants: 0, expired: 0 }

/**
 * Adds a movement to credits.
 *
 * @throws {RangeError} for a movement that does not sum to zero, or with a part that is not a whole
 *   number
 */
export function moved(credits: Credits, moves: Moves): Credits {
  let sum = 0
  const after: Record<CreditAccount, number> = { ...credits }
  for (const account of CREDIT_ACCOUNTS) {
    const amount = moves[account] ?? 0
    if (!Number.isSafeInteger(amount) || !Number.isSafeInteger(after[account] + amount))
      throw new RangeError(`${amount} credits for ${account} are not a valid amount`)
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

/** Sorts lots in the order they are spent: the first to expire comes first. */
function inOrder(lots: readonly Lot[]): Lot[] {
  return lots.toSorted(
    (a, b) =>
      (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity) ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) ||
      0,
  )
}

/** Sum of all lots. */
export function sumOfLots(lots: readonly Lot[]): number {
  return lots.reduce((sum, { left }) => sum + left, 0)
}

/** Takes credits out of lots, from the first to expire on. Takes fewer if the lots have fewer. */
export function takeFromLots(lots: readonly Lot[], amount: number): { taken: Lot[]; rest: Lot[] } {
  const portions: Lot[] = []
  const rest: Lot[] = []
  let missing = amount
  for (const lot of inOrder(lots)) {
    const part = Math.min(lot.left, missing)
    missing -= part
    if (part > 0) portions.push({ ...lot, left: part })
    if (lot.left > part) rest.push({ ...lot, left: lot.left - part })
  }
  return { taken: portions, rest }
}

/** Puts credits back into the lots they came from. */
export function addToLots(lots: readonly Lot[], added: readonly Lot[]): Lot[] {
  const byId = new Map(lots.map((lot) => [lot.id, lot]))
  for (const lot of added) {
    const present = byId.get(lot.id)
    if (lot.left > 0)
      byId.set(lot.id, present ? { ...present, left: present.left + lot.left } : lot)
  }
  return inOrder([...byId.values()])
}

/**
 * Adjusts lots so that they add up to the wallet. The lots first pay a debt. If the debt disappears
 * later, because a hold beyond the wallet was not spent, the credits return as a lot that does not
 * expire.
 */
export function lotsOfWallet(wallet: number, lots: readonly Lot[]): Lot[] {
  const surplus = sumOfLots(lots) - Math.max(wallet, 0)
  return surplus > 0
    ? takeFromLots(lots, surplus).rest
    : addToLots(lots, [{ id: 'owed', left: -surplus, expiresAt: null }])
}
