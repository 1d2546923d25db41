// A process of its own that moves money between accounts of a shared schema until it is told to stop or killed.
import postgres from 'postgres'
import { createPostgresStore } from '../../../adapters/postgres/index.ts'
import { makeTransfers } from '../../support/bank.ts'

const [, , host = '', schema = '', name = 'x', count = 'Infinity'] = process.argv
const client = postgres({ host, user: 'seine', database: 'postgres', max: 2, onnotice: () => {} })
const store = createPostgresStore({ client, schema })
await makeTransfers(store, name, Number(count), (n) => process.stdout.write(`${n}\n`))
await store.close()
await client.end()
