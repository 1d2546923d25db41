// A process of its own that moves money between accounts of a shared file until it is told to stop or killed.
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { ACCOUNTS, accountKey } from './bank.ts'

const [, , path = '', name = 'x', count = 'Infinity'] = process.argv
const store = createSqliteStore({ path })
for (let n = 0; n < Number(count); ) {
  const [from, to, own] = [accountKey(n * 3), accountKey(n * 3 + 1 + (n % (ACCOUNTS - 1))), ['done', name]]
  const [a, b, done] = await store.get([from, to, own])
  if (!a || !b) throw new Error('An account is gone')
  const moved = await store.commit({
    check: [{ key: from, version: a.version }, { key: to, version: b.version }, { key: own, version: done?.version ?? null }],
    set: [{ key: from, value: Number(a.value) - 1 }, { key: to, value: Number(b.value) + 1 }, { key: own, value: n + 1 }, { key: ['log', name, n], value: 'x'.repeat(500) }],
    add: [{ key: ['moved'], amount: 1 }],
  })
  if (moved) process.stdout.write(`${++n}\n`)
}
await store.close()
