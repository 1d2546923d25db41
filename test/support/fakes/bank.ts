import type { Key } from '../../../src/kernel/key.ts'
import type { Store } from '../../../src/ports/store.ts'

export const ACCOUNTS = 10
const EACH = 1_000

/** The sum of all accounts, which never changes. */
export const SUM = ACCOUNTS * EACH

/** The key of account `i`, modulo their number. */
export function accountKey(i: number): Key {
  return ['bank', i % ACCOUNTS]
}

/** Opens the accounts. */
export async function fillBank(store: Store): Promise<void> {
  await store.commit({
    set: Array.from({ length: ACCOUNTS }, (_, i) => ({ key: accountKey(i), value: EACH })),
  })
}

/** The balances of all accounts by one list. */
export async function sumOfBank(store: Store): Promise<number> {
  const accounts = await store.list({ prefix: ['bank'], limit: 100 })
  return accounts.reduce((total, entry) => total + Number(entry.value), 0)
}

/** The balance of each account once writer `i` has made `counts[i]` transfers. */
export function balancesAfter(counts: readonly number[]): readonly number[] {
  const balances = Array.from({ length: ACCOUNTS }, () => EACH)
  const add = (key: Key, amount: number): void => {
    balances[Number(key[1])] = (balances[Number(key[1])] ?? 0) + amount
  }
  for (const [writer, count] of counts.entries()) {
    for (let n = 0; n < count; n++) {
      const [from, to] = accountsOf(writer, n)
      add(from, -1)
      add(to, 1)
    }
  }
  return balances
}

/**
 * Moves money until this writer has made `count` transfers, each with a line in a log; `told` is
 * called after each commit.
 */
export async function makeTransfers(
  store: Store,
  writer: number,
  count: number,
  onMove: (n: number) => void,
): Promise<void> {
  for (let n = 0; n < count;) {
    const [[from, to], own] = [accountsOf(writer, n), ['done', writer]]
    const [a, b, done] = await store.get([from, to, own])
    if (!a || !b) throw new Error('An account is gone')
    const moved = await store.commit({
      check: [
        { key: from, version: a.version },
        { key: to, version: b.version },
        { key: own, version: done?.version ?? null },
      ],
      set: [
        { key: from, value: Number(a.value) - 1 },
        { key: to, value: Number(b.value) + 1 },
        { key: own, value: n + 1 },
        { key: ['log', writer, n], value: 'x'.repeat(500) },
      ],
      add: [{ key: ['moved'], amount: 1 }],
    })
    if (moved) onMove(++n)
  }
}

/** Writers that keep step meet at one account, and never all at two. */
function accountsOf(writer: number, n: number): readonly [Key, Key] {
  const from = writer + n * 3
  return [accountKey(from), accountKey(from + 1 + ((writer + n) % (ACCOUNTS - 1)))]
}
