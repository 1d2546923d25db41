// A separate process that writes to stores in a Redis to which other processes write as well.
import { Redis } from 'ioredis'
import { createRedisStore } from '../../../adapters/redis/index.ts'
import { serveWriter } from '../../support/stores/serve-writer.ts'

const [, , port = ''] = process.argv
const client = new Redis({ port: Number(port), host: '127.0.0.1' })
await serveWriter((prefix) => createRedisStore({ client, prefix }))
client.disconnect()
