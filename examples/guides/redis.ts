import { Redis } from 'ioredis'
import { createPlatform } from 'seine'
import { createBullmqQueue } from 'seine/bullmq'
import { createRedisLimiter, createRedisStore } from 'seine/redis'

const client = new Redis('redis://localhost:6379', { maxRetriesPerRequest: null })

export const platform = createPlatform({
  store: createRedisStore({ client }),
  limiter: createRedisLimiter({ client }),
  queue: createBullmqQueue({ server: { redis: client } }),
})
