import type { Lot } from '../../../records/ledger-records.ts'

/** Lots in the order in which they are spent: the first to expire first. */
function inOrder(lots: readonly Lot[]): Lot[] {
  return lots.toSorted(
    (a, b) =>
      (a.expiresAt ?? Infinity) - (b.expiresAt ?? Infinity) ||
      (a.id < b.id ? -1 : a.id > b.id ? 1 : 0) ||
      0,
  )
}

/** Credits in all lots. */
export function sumOfLots(lots: readonly Lot[]): number {
  return lots.reduce((sum, { left }) => sum + left, 0)
}

/** Takes credits out of lots, the first to expire first; as many as there are where that is fewer. */
export function takeFromLots(lots: readonly Lot[], amount: number): { taken: Lot[]; rest: Lot[] } {
  const taken: Lot[] = []
  const rest: Lot[] = []
  let wanted = amount
  for (const lot of inOrder(lots)) {
    const part = Math.min(lot.left, wanted)
    wanted -= part
    if (part > 0) taken.push({ ...lot, left: part })
    if (lot.left > part) rest.push({ ...lot, left: lot.left - part })
  }
  return { taken, rest }
}

/** Puts credits back with those that they came with. */
export function addToLots(lots: readonly Lot[], added: readonly Lot[]): Lot[] {
  const byId = new Map(lots.map((lot) => [lot.id, lot]))
  for (const lot of added) {
    const known = byId.get(lot.id)
    if (lot.left > 0) byId.set(lot.id, known ? { ...known, left: known.left + lot.left } : lot)
  }
  return inOrder([...byId.values()])
}

/**
 * Makes lots add up to the wallet. What it owes is paid out of them first; where it turns out not
 * to owe that after all, as a hold beyond the wallet was not spent, the credits come back as a lot
 * that does not expire.
 */
export function lotsOfWallet(wallet: number, lots: readonly Lot[]): Lot[] {
  const surplus = sumOfLots(lots) - Math.max(wallet, 0)
  return surplus > 0
    ? takeFromLots(lots, surplus).rest
    : addToLots(lots, [{ id: 'owed', left: -surplus, expiresAt: null }])
}
