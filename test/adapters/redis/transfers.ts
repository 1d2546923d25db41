// A process of its own that moves money between accounts of a shared store until it is told to stop or killed.
import { Redis } from 'ioredis'
import { createRedisStore } from '../../../adapters/redis/index.ts'
import { makeTransfers } from '../../support/bank.ts'

const [, , port = '', prefix = '', name = 'x', count = 'Infinity'] = process.argv
const client = new Redis({ port: Number(port), host: '127.0.0.1' })
const store = createRedisStore({ client, prefix })
await makeTransfers(store, name, Number(count), (n) => process.stdout.write(`${n}\n`))
await store.close()
client.disconnect()
