// A separate process that takes from a shared bucket again and again, and says how much it got.
import { Redis } from 'ioredis'
import { createRedisLimiter } from '../../../adapters/redis/index.ts'

const [, , port = '', prefix = '', calls = '0'] = process.argv
const client = new Redis({ port: Number(port), host: '127.0.0.1' })
const limiter = createRedisLimiter({ client, prefix })
const outcomes = await Promise.all(
  Array.from({ length: Number(calls) }, () =>
    limiter.take('k', { limit: 1, periodMs: 3_600_000, burst: 99 }),
  ),
)
process.stdout.write(String(outcomes.filter(({ allowed }) => allowed).length))
client.disconnect()
