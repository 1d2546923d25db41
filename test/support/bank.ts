import type { Key } from '../../src/kernel/key.ts'
import type { Store } from '../../src/ports/store.ts'

export const ACCOUNTS = 10
const EACH = 1_000

/** What all accounts have together, always. */
export const SUM = ACCOUNTS * EACH

/** Of account `i`, counted around. */
export function accountKey(i: number): Key {
  return ['bank', i % ACCOUNTS]
}

/** Opens the accounts. */
export async function fillBank(store: Store): Promise<void> {
  await store.commit({ set: Array.from({ length: ACCOUNTS }, (_, i) => ({ key: accountKey(i), value: EACH })) })
}

/** What is in all accounts, as one list shows them. */
export async function sumOfBank(store: Store): Promise<number> {
  const accounts = await store.list({ prefix: ['bank'], limit: 100 })
  return accounts.reduce((total, entry) => total + Number(entry.value), 0)
}

/** Moves money until there are `count` transfers of this name, each with a line in a log; `told` hears of each after its commit. */
export async function makeTransfers(store: Store, name: string, count: number, told: (n: number) => void): Promise<void> {
  for (let n = 0; n < count; ) {
    const [from, to, own] = [accountKey(n * 3), accountKey(n * 3 + 1 + (n % (ACCOUNTS - 1))), ['done', name]]
    const [a, b, done] = await store.get([from, to, own])
    if (!a || !b) throw new Error('An account is gone')
    const moved = await store.commit({
      check: [{ key: from, version: a.version }, { key: to, version: b.version }, { key: own, version: done?.version ?? null }],
      set: [{ key: from, value: Number(a.value) - 1 }, { key: to, value: Number(b.value) + 1 }, { key: own, value: n + 1 }, { key: ['log', name, n], value: 'x'.repeat(500) }],
      add: [{ key: ['moved'], amount: 1 }],
    })
    if (moved) told(++n)
  }
}
