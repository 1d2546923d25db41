// A process of its own that moves money between accounts of a shared file until it is told to stop or killed.
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { makeTransfers } from '../../support/bank.ts'

const [, , path = '', name = 'x', count = 'Infinity'] = process.argv
const store = createSqliteStore({ path })
await makeTransfers(store, name, Number(count), (n) => process.stdout.write(`${n}\n`))
await store.close()
